package io.github.ratelimit.annotation;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.annotation.LimitedServices.AnnotatedContract;
import io.github.ratelimit.annotation.LimitedServices.Contract;
import io.github.ratelimit.annotation.LimitedServices.Service;
import io.github.ratelimit.expression.KeyResolver;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.OverridingClassLoader;
import org.springframework.core.PriorityOrdered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.junit.jupiter.api.Named.named;

/**
 * However a bean comes to be, early, late, often, by the hand of another or as part of a
 * circle: each call counts once, every object of a type shares the type's budgets, and
 * what would not be limited fails start-up.
 */
class BeansTests {

	private final ApplicationContextRunner runner = LimitedBeans.runner();

	@ParameterizedTest
	@MethodSource("beans")
	void beanIsLimitedOnce(UnaryOperator<ApplicationContextRunner> bean) {
		bean.apply(this.runner).run(LimitedServices::assertIsLimitedOnce);
	}

	static List<Named<UnaryOperator<ApplicationContextRunner>>> beans() {
		return List.of(named("by its interface", (runner) -> runner.withBean("service", Contract.class, Service::new)),
				named("lazy",
						(runner) -> runner.withBean("service", Service.class, Service::new,
								(bean) -> bean.setLazyInit(true))),
				named("lazy, by its interface",
						(runner) -> runner.withBean("service", Contract.class, Service::new,
								(bean) -> bean.setLazyInit(true))),
				named("prototype",
						(runner) -> runner.withBean("service", Service.class, Service::new,
								(bean) -> bean.setScope("prototype"))),
				named("prototype, by its interface",
						(runner) -> runner.withBean("service", Contract.class, Service::new,
								(bean) -> bean.setScope("prototype"))),
				named("behind a scoped proxy", (runner) -> runner.withUserConfiguration(Scoped.class)),
				named("of a factory", (runner) -> runner.withBean("service", Typed.class)),
				named("of a factory, asked for late", (runner) -> runner.withBean("service", Untyped.class)),
				named("of a factory, asked for early",
						(runner) -> needing(Object.class, "", new AtomicReference<>(),
								runner.withBean("service", Untyped.class))),
				named("beside a registry's post-processor", (runner) -> runner.withBean("service", Service.class)
					.withBean("registering", BeanDefinitionRegistryPostProcessor.class, () -> (registry) -> {
					})));
	}

	@ParameterizedTest
	@MethodSource("needing")
	<T> void beanThatAnotherNeedsEarlyIsTheLimitedOne(Class<T> type, T needing) {
		AtomicReference<Object> taken = new AtomicReference<>();
		needing(type, needing, taken, this.runner.withBean("service", Service.class)).run((context) -> {
			LimitedServices.assertIsLimitedOnce(context);
			assertThat(taken.get()).isSameAs(context.getBean("service"));
		});
	}

	static List<Object[]> needing() {
		return List.of(new Object[] { BeanPostProcessor.class, new BeanPostProcessor() {
		} }, new Object[] { OrderedPostProcessor.class, new OrderedPostProcessor() },
				new Object[] { BeanFactoryPostProcessor.class, (BeanFactoryPostProcessor) (beans) -> {
				} }, new Object[] { KeyResolver.class, (KeyResolver) (context) -> "all" },
				new Object[] { RateLimitListener.class, (RateLimitListener) (policy, key, decision, outcome) -> {
				} });
	}

	@Test
	void beanOfAFactoryWhoseMethodsCannotBeReadIsMade() throws Exception {
		Object driver = unreadable();
		this.runner.withBean("service", Service.class)
			.withBean("driver", Untyped.class, () -> new Untyped(driver))
			.run((context) -> {
				assertThat(context.getBean("driver")).isSameAs(driver);
				LimitedServices.assertIsLimitedOnce(context);
			});
	}

	@Test
	void registeredObjectWhoseMethodsCannotBeReadIsLeftAlone() throws Exception {
		Object driver = unreadable();
		this.runner.withInitializer((context) -> context.getBeanFactory().registerSingleton("driver", driver))
			.run((context) -> assertThat(context.getBean("driver")).isSameAs(driver));
	}

	private static Object unreadable() throws ReflectiveOperationException {
		ClassLoader incomplete = new OverridingClassLoader(BeansTests.class.getClassLoader()) {

			@Override
			protected boolean isEligibleForOverriding(String type) {
				return type.equals(Driver.class.getName());
			}

			@Override
			protected Class<?> loadClass(String type, boolean resolve) throws ClassNotFoundException {
				if (type.equals(Absent.class.getName())) {
					throw new ClassNotFoundException(type);
				}
				return super.loadClass(type, resolve);
			}

		};
		return incomplete.loadClass(Driver.class.getName()).getDeclaredConstructor().newInstance();
	}

	@Test
	void beanThatIsMadeBeforeAllPostProcessorsFailsStartUp() {
		needing(BeanDefinitionRegistryPostProcessor.class, (registry) -> {
		}, new AtomicReference<>(), this.runner.withBean("service", Service.class)).run((context) -> assertThat(context)
			.getFailure()
			.isInstanceOf(InvalidRateLimitException.class)
			.hasMessage("@RateLimited on Service.limited() would have no effect, because the bean 'service' is made "
					+ "before all post-processors, for one that changes bean definitions"));
	}

	private static <T> ApplicationContextRunner needing(Class<T> type, T needing, AtomicReference<Object> taken,
			ApplicationContextRunner runner) {
		return runner
			.withInitializer((context) -> ((GenericApplicationContext) context).registerBean("needing", type, () -> {
				taken.set(context.getBeanFactory().getBean("service"));
				return needing;
			}));
	}

	@ParameterizedTest
	@MethodSource("circles")
	void beanThatOthersGetBeforeItHasItsProxyFailsStartUp(UnaryOperator<ApplicationContextRunner> circle) {
		circle.apply(this.runner.withAllowCircularReferences(true).withBean("service", CircularService.class))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessage("@RateLimited on CircularService would have no effect for beans that the bean 'service' "
						+ "needs itself, because they get it before it has its proxy"));
	}

	static List<Named<UnaryOperator<ApplicationContextRunner>>> circles() {
		return List.of(named("declared", (runner) -> runner.withBean(Other.class)),
				named("looked up", (runner) -> needing(Other.class, new Other(null), new AtomicReference<>(), runner)),
				named("of a bean that is proxied anyway",
						(runner) -> runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
							.withBean("advisor", Advisor.class, BeansTests::advisor,
									(bean) -> bean.setRole(BeanDefinition.ROLE_INFRASTRUCTURE))
							.withBean(Other.class)));
	}

	private static Advisor advisor() {
		NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
		pointcut.addMethodName("limited");
		return new DefaultPointcutAdvisor(pointcut, (MethodInterceptor) MethodInvocation::proceed);
	}

	@Test
	void circularReferenceOfOtherBeansIsLeftAlone() {
		this.runner.withAllowCircularReferences(true)
			.withBean(One.class)
			.withBean(Two.class)
			.withBean("service", Service.class)
			.run(LimitedServices::assertIsLimitedOnce);
	}

	@Test
	void lateBeanThatCannotBeLimitedIsNotMade() {
		this.runner.withBean("final", Runnable.class, FinalService::new, (bean) -> bean.setLazyInit(true))
			.withBean("mistaken", Runnable.class, MistakenService::new, (bean) -> bean.setLazyInit(true))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				for (int i = 0; i < 2; i++) {
					assertThatException().isThrownBy(() -> context.getBean("final"))
						.withRootCauseInstanceOf(InvalidRateLimitException.class)
						.withStackTraceContaining(
								"a method that is on none of the interfaces of a class that is final");
				}
				assertThatException().isThrownBy(() -> context.getBean("mistaken"))
					.withRootCauseInstanceOf(InvalidRateLimitException.class)
					.withStackTraceContaining("has no window");
			});
	}

	@Test
	void mistakeInAnAnnotationOfABeanWithoutATypeFailsStartUp() {
		this.runner.withBean("service", Runnable.class, MistakenService::new, (bean) -> bean.setScope("prototype"))
			.withBean(User.class)
			.run((context) -> assertThat(context).getFailure().hasMessageContaining("has no window"));
	}

	@Test
	void objectThatPostProcessorsDoNotSeeFailsStartUp() {
		this.runner.withInitializer((context) -> context.getBeanFactory().registerSingleton("service", new Service()))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessage("@RateLimited on Service.limited() would have no effect, because the bean 'service' was "
						+ "registered as an object, which post-processors do not see"));
	}

	@Test
	void objectThatStandsInForADefinedBeanIsLeftAlone() {
		this.runner.withBean("service", Service.class)
			.withBean("standingIn", BeanFactoryPostProcessor.class,
					() -> (beans) -> beans.registerSingleton("service", new Service()))
			.run((context) -> assertThat(AopUtils.isAopProxy(context.getBean("service"))).isFalse());
	}

	@Test
	void wrapperOfALimitedBeanIsLeftAlone() {
		this.runner.withBean("service", AnnotatedService.class)
			.withBean("wrapping", BeanPostProcessor.class, Wrapping::new)
			.run((context) -> {
				AnnotatedContract service = (AnnotatedContract) context.getBean("service");
				assertThat(service).isInstanceOf(Wrapper.class);
				LimitedServices.assertLimited(service::limited);
			});
	}

	@Test
	void configurationClassMayHaveLimitedMethods() {
		this.runner.withUserConfiguration(LimitedConfiguration.class).run((context) -> {
			LimitedServices.assertLimited(context.getBean(LimitedConfiguration.class)::limited);
			assertThat(context.getBean("one")).isSameAs(context.getBean("other"));
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Scoped {

		@Bean
		@Scope(scopeName = BeanDefinition.SCOPE_PROTOTYPE, proxyMode = ScopedProxyMode.TARGET_CLASS)
		Service service() {
			return new Service();
		}

	}

	static class Untyped implements FactoryBean<Object> {

		private final Object made;

		Untyped() {
			this(new Service());
		}

		Untyped(Object made) {
			this.made = made;
		}

		@Override
		public Object getObject() {
			return this.made;
		}

		@Override
		@SuppressWarnings("NullAway")
		public @Nullable Class<?> getObjectType() {
			return null;
		}

	}

	static class Typed extends Untyped {

		@Override
		public Class<?> getObjectType() {
			return Service.class;
		}

	}

	/* As that of a library, of which one needs not all. */
	public static class Driver {

		public @Nullable Absent absent() {
			return null;
		}

	}

	static class Absent {

	}

	static class OrderedPostProcessor implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	static class CircularService extends Service {

		@Autowired
		Other other;

	}

	record Other(@Nullable CircularService service) {
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

	static class MistakenService implements Runnable {

		@Override
		@RateLimited(limit = 1)
		public void run() {
		}

	}

	record User(Runnable service) {
	}

	static class AnnotatedService implements AnnotatedContract {

		@Override
		public void limited() {
		}

	}

	static class Wrapping implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return (bean instanceof AnnotatedContract contract) ? new Wrapper(contract) : bean;
		}

	}

	record Wrapper(AnnotatedContract wrapped) implements AnnotatedContract {

		@Override
		public void limited() {
			this.wrapped.limited();
		}

	}

	@Configuration
	static class LimitedConfiguration {

		@Bean
		Object one() {
			return new Object();
		}

		@Bean
		Object other() {
			return one();
		}

		@RateLimited(limit = 1, window = "1m")
		public void limited() {
		}

	}

}
