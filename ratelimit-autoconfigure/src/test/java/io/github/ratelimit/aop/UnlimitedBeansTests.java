package io.github.ratelimit.aop;

import java.util.function.Supplier;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.expression.KeyResolver;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.context.annotation.Scope;
import org.springframework.core.PriorityOrdered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Beans that come to be otherwise than others, before post-processors or beside them, are
 * limited, or end the start.
 */
class UnlimitedBeansTests {

	@ParameterizedTest
	@ValueSource(classes = { ForBeanPostProcessor.class, ForOrderedBeanPostProcessor.class,
			ForBeanFactoryPostProcessor.class, ForKeyResolver.class, ForListener.class, ByInterface.class,
			ByUntypedFactoryBean.class, LazyByInterface.class, PrototypeByInterface.class, LazyByFactoryBean.class,
			AfterRegistryPostProcessor.class })
	void beanIsLimitedOnce(Class<?> configuration) {
		LimitedBeans.runner().withUserConfiguration(configuration).run((context) -> {
			Contract service = (Contract) context.getBean("service");
			service.limited();
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(service::limited);
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { ForBeanPostProcessor.class, ForOrderedBeanPostProcessor.class,
			ForBeanFactoryPostProcessor.class })
	void beanThatOthersTookEarlyIsTheLimitedOne(Class<?> configuration) {
		LimitedBeans.runner()
			.withUserConfiguration(configuration)
			.run((context) -> assertThat(context.getBean(Needing.class).service())
				.isSameAs(context.getBean("service")));
	}

	@Test
	void beanThatIsMadeBeforeAllPostProcessorsEndsTheStart() {
		LimitedBeans.runner()
			.withUserConfiguration(ForRegistryPostProcessor.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessage(
						"@RateLimited on Service.limited() would have no effect, because the bean 'service' is made "
								+ "before all post-processors, for one that changes bean definitions"));
	}

	@Test
	void objectThatIsRegisteredEndsTheStart() {
		LimitedBeans.runner()
			.withInitializer((context) -> context.getBeanFactory().registerSingleton("service", new Service()))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessage("@RateLimited on Service.limited() would have no effect, because the bean 'service' was "
						+ "registered as an object, which post-processors do not see"));
	}

	@Test
	void beanThatPostProcessorsPassOverEndsTheStart() {
		LimitedBeans.runner().withInitializer((context) -> {
			RootBeanDefinition definition = new RootBeanDefinition(Service.class);
			definition.setSynthetic(true);
			((BeanDefinitionRegistry) context.getBeanFactory()).registerBeanDefinition("service", definition);
		})
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageContaining("the bean 'service' has a synthetic bean definition"));
	}

	@Test
	void objectThatStandsInForADefinedBeanIsLeftAlone() {
		LimitedBeans.runner()
			.withBean("service", Service.class)
			.withBean("standingIn", BeanFactoryPostProcessor.class,
					() -> (beans) -> beans.registerSingleton("service", new Service()))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(AopUtils.isAopProxy(context.getBean("service"))).isFalse();
			});
	}

	@Test
	void circularReferenceEndsTheStart() {
		circular().withUserConfiguration(Circular.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessage(
						"@RateLimited on CircularService would have no effect for beans that the bean 'service' needs "
								+ "itself, because they get it before it has its proxy"));
	}

	@Test
	void circularReferenceThatNobodyDeclaresEndsTheStart() {
		circular().withUserConfiguration(LookedUp.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageContaining("'service'"));
	}

	@Test
	void circularReferenceOfABeanThatIsProxiedAnywayEndsTheStart() {
		circular().withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withUserConfiguration(Advised.class, Circular.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageContaining("'service'"));
	}

	@Test
	void circularReferenceOfOtherBeansIsLeftAlone() {
		circular().withUserConfiguration(CircularOthers.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void lateBeanThatCannotBeLimitedIsNotMade() {
		LimitedBeans.runner().withUserConfiguration(LateFinal.class).run((context) -> {
			assertThat(context).hasNotFailed();
			for (int i = 0; i < 2; i++) {
				assertThatException().isThrownBy(() -> context.getBean("service"))
					.withRootCauseInstanceOf(InvalidRateLimitException.class)
					.withStackTraceContaining("a method of a final class that is on none of the class' interfaces");
			}
		});
	}

	@Test
	void mistakeInAnAnnotationOfALateBeanIsFoundWhenItIsMade() {
		LimitedBeans.runner()
			.withUserConfiguration(LateMistake.class)
			.run((context) -> assertThatException().isThrownBy(() -> context.getBean("service"))
				.withRootCauseInstanceOf(InvalidRateLimitException.class)
				.withStackTraceContaining("has no window"));
	}

	@Test
	void mistakeInAnAnnotationOfABeanWithoutATypeEndsTheStart() {
		LimitedBeans.runner()
			.withUserConfiguration(PrototypeMistake.class)
			.run((context) -> assertThat(context).getFailure().hasMessageContaining("has no window"));
	}

	@Test
	void configurationClassMayHaveLimitedMethods() {
		LimitedBeans.runner().withUserConfiguration(LimitedConfiguration.class).run((context) -> {
			LimitedConfiguration configuration = context.getBean(LimitedConfiguration.class);
			configuration.limited();
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(configuration::limited);
			assertThat(context.getBean("one")).isSameAs(context.getBean("other"));
		});
	}

	@Test
	void wrapperOfALimitedBeanIsLeftAlone() {
		LimitedBeans.runner().withUserConfiguration(Wrapping.class).run((context) -> {
			AnnotatedContract service = context.getBean(AnnotatedContract.class);
			assertThat(AopUtils.isAopProxy(service)).isFalse();
			service.limited();
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(service::limited);
		});
	}

	private static ApplicationContextRunner circular() {
		return LimitedBeans.runner().withAllowCircularReferences(true);
	}

	interface Contract {

		void limited();

	}

	static class Service implements Contract {

		@Override
		@RateLimited(limit = 1, window = "1m")
		public void limited() {
		}

	}

	record Needing(Contract service) {
	}

	@Configuration
	static class ForBeanPostProcessor {

		@Bean
		BeanPostProcessor needing(Needing needing) {
			return new BeanPostProcessor() {
			};
		}

		@Bean
		Needing need(Contract service) {
			return new Needing(service);
		}

		@Bean
		Service service() {
			return new Service();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ForOrderedBeanPostProcessor {

		@Bean
		static OrderedNeed needing(Needing needing) {
			return new OrderedNeed();
		}

		@Bean
		static Needing need(Contract service) {
			return new Needing(service);
		}

		@Bean
		static Contract service() {
			return new Service();
		}

	}

	static class OrderedNeed implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	@Configuration
	static class ForBeanFactoryPostProcessor {

		@Bean
		BeanFactoryPostProcessor needing(Needing needing) {
			return (beans) -> {
			};
		}

		@Bean
		Needing need(Contract service) {
			return new Needing(service);
		}

		@Bean
		Service service() {
			return new Service();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ForKeyResolver {

		@Bean
		KeyResolver key(Service service) {
			return (context) -> "all";
		}

		@Bean
		Service service() {
			return new Service();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ForListener {

		@Bean
		RateLimitListener listener(Service service) {
			return (policy, key, decision, outcome) -> {
			};
		}

		@Bean
		Service service() {
			return new Service();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ForRegistryPostProcessor {

		@Bean
		static RegistryPostProcessor needing(Service service) {
			return new RegistryPostProcessor();
		}

		@Bean
		static Service service() {
			return new Service();
		}

	}

	static class RegistryPostProcessor implements BeanDefinitionRegistryPostProcessor {

		@Override
		public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AfterRegistryPostProcessor {

		@Bean
		static RegistryPostProcessor needing() {
			return new RegistryPostProcessor();
		}

		@Bean
		Service service() {
			return new Service();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ByInterface {

		@Bean
		Contract service() {
			return new Service();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyByInterface {

		@Bean
		@Lazy
		Contract service() {
			return new Service();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrototypeByInterface {

		@Bean
		@Scope(BeanDefinition.SCOPE_PROTOTYPE)
		Contract service() {
			return new Service();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ByUntypedFactoryBean {

		@Bean
		Untyped service() {
			return new Untyped();
		}

		@Bean
		Supplier<Object> user(ApplicationContext context) {
			Object service = context.getBean("service");
			return () -> service;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyByFactoryBean {

		@Bean
		Untyped service() {
			return new Untyped();
		}

	}

	static class Untyped implements FactoryBean<Object> {

		@Override
		public Object getObject() {
			return new Service();
		}

		@Override
		@SuppressWarnings("NullAway")
		public Class<?> getObjectType() {
			return null;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Advised {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor advisor() {
			NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
			pointcut.addMethodName("limited");
			return new DefaultPointcutAdvisor(pointcut, (MethodInterceptor) MethodInvocation::proceed);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Circular {

		@Bean
		CircularService service() {
			return new CircularService();
		}

		@Bean
		Other other(CircularService service) {
			return new Other();
		}

	}

	static class CircularService extends Service {

		@Autowired
		Other other;

	}

	static class Other {

	}

	@Configuration(proxyBeanMethods = false)
	static class LookedUp {

		@Bean
		CircularService service() {
			return new CircularService();
		}

		@Bean
		Other other(ConfigurableApplicationContext context) {
			context.getBean("service");
			return new Other();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CircularOthers {

		@Bean
		One one() {
			return new One();
		}

		@Bean
		Two two() {
			return new Two();
		}

		@Bean
		Service service() {
			return new Service();
		}

	}

	static class One {

		@Autowired
		Two two;

	}

	static class Two {

		@Autowired
		One one;

	}

	static final class FinalService implements Runnable {

		@RateLimited(limit = 1, window = "1m")
		public void limited() {
		}

		@Override
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LateFinal {

		@Bean
		@Lazy
		Runnable service() {
			return new FinalService();
		}

	}

	static class MistakenService implements Runnable {

		@Override
		@RateLimited(limit = 1)
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LateMistake {

		@Bean
		@Lazy
		Runnable service() {
			return new MistakenService();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrototypeMistake {

		@Bean
		@Scope(BeanDefinition.SCOPE_PROTOTYPE)
		Runnable service() {
			return new MistakenService();
		}

		@Bean
		Other user(Runnable service) {
			return new Other();
		}

	}

	@Configuration
	static class LimitedConfiguration {

		@Bean
		Other one() {
			return new Other();
		}

		@Bean
		Other other() {
			return one();
		}

		@RateLimited(limit = 1, window = "1m")
		public void limited() {
		}

	}

	interface AnnotatedContract {

		@RateLimited(limit = 1, window = "1m")
		void limited();

	}

	static class AnnotatedService implements AnnotatedContract {

		@Override
		public void limited() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Wrapping {

		@Bean
		AnnotatedService service() {
			return new AnnotatedService();
		}

		@Bean
		static BeanPostProcessor wrapping() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String beanName) {
					return (bean instanceof AnnotatedContract contract) ? new Wrapper(contract) : bean;
				}

			};
		}

	}

	static class Wrapper implements AnnotatedContract {

		private final AnnotatedContract wrapped;

		Wrapper(AnnotatedContract wrapped) {
			this.wrapped = wrapped;
		}

		@Override
		public void limited() {
			this.wrapped.limited();
		}

	}

}
