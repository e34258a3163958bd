package io.github.ratelimit.annotation;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.LimitedServices.AnnotatedContract;
import io.github.ratelimit.annotation.LimitedServices.Contract;
import io.github.ratelimit.annotation.LimitedServices.Service;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.AbstractAdvisingBeanPostProcessor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.SimpleAliasRegistry;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.samples.petclinic.Visits;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.config.ScheduledTaskHolder;

import static io.github.ratelimit.annotation.LimitedServices.assertIsLimitedOnce;
import static io.github.ratelimit.annotation.LimitedServices.assertLimited;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Limits hold through proxies of every kind, once each, and outside of all other advice;
 * code that takes a bean to call it later, as listeners do, takes the limited one.
 */
class ProxiesTests {

	private final ApplicationContextRunner runner = LimitedBeans.runner();

	private final List<String> begun = new ArrayList<>();

	@Test
	void classIsProxiedByItsInterfaceWhereThatIsAskedFor() {
		this.runner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean("service", Contract.class, Service::new)
			.withBean("store", Store.class, TextStore::new)
			.withBean("source", Source.class, FutureSource::new)
			.run((context) -> {
				assertThat(AopUtils.isJdkDynamicProxy(context.getBean("service"))).isTrue();
				assertLimited(context.getBean(Contract.class)::limited);
				@SuppressWarnings("unchecked")
				Store<String> store = context.getBean(Store.class);
				assertLimited(() -> store.save("a"));
				Source<?> source = context.getBean(Source.class);
				assertThat(List.of(source.read(), source.read()))
					.extracting((read) -> ((CompletableFuture<?>) read).isCompletedExceptionally())
					.containsExactly(false, true);
				assertThat(names(context)).containsExactlyInAnyOrder("Service.limited", "TextStore.save",
						"FutureSource.read");
			});
	}

	@Test
	void finalClassIsProxiedByItsInterface() {
		this.runner.withBean("service", Contract.class, FinalService::new)
			.run((context) -> assertLimited(context.getBean(Contract.class)::limited));
	}

	@ParameterizedTest
	@MethodSource
	void whatThePlatformMadeOfAnInterfaceIsLimitedAsThatSays(Greeting bean) {
		this.runner.withBean("greeting", Greeting.class, () -> bean).run((context) -> {
			Greeting greeting = context.getBean(Greeting.class);
			assertLimited(() -> greeting.greet("alice"));
			assertLimited(() -> greeting.greet("bob"));
			assertThat(names(context)).containsExactly("Greeting.greet");
		});
	}

	static List<Greeting> whatThePlatformMadeOfAnInterfaceIsLimitedAsThatSays() {
		Object proxy = Proxy.newProxyInstance(Greeting.class.getClassLoader(), new Class<?>[] { Greeting.class },
				(self, method, arguments) -> null);
		return List.of((name) -> {
		}, (Greeting) proxy);
	}

	@Test
	void beanOfAnApplicationBelowThePackageOfSpringIsLimited() {
		this.runner.withBean(Visits.class).run((context) -> assertLimited(context.getBean(Visits.class)::book));
	}

	@Test
	void beanWithoutLimitsIsNotProxied() {
		this.runner.withBean(Unlimited.class)
			.run((context) -> assertThat(AopUtils.isAopProxy(context.getBean(Unlimited.class))).isFalse());
	}

	@Test
	void beanThatIsAProxyAlreadyIsLimitedOnceAndOutermost() {
		ProxyFactory factory = new ProxyFactory(new Service());
		factory.addAdvice(noting());
		this.runner.withBean("service", Contract.class, () -> (Contract) factory.getProxy()).run((context) -> {
			assertIsLimitedOnce(context);
			assertThat(this.begun).containsExactly("limited");
		});
	}

	@ParameterizedTest
	@MethodSource("proxies")
	void proxyOfAnAnnotatedInterfaceThatItsTargetDoesNotImplementIsLimited(Object proxy) {
		this.runner.withBean("client", Object.class, () -> proxy).run((context) -> {
			assertLimited(((AnnotatedContract) context.getBean("client"))::limited);
			Repository repository = (Repository) context.getBean("client");
			repository.findAll();
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(repository::findNewest);
			assertThat(names(context)).containsExactlyInAnyOrder("AnnotatedContract.limited", "Repository");
		});
	}

	static List<Object> proxies() {
		Class<?>[] interfaces = { AnnotatedContract.class, Repository.class };
		return List.of(proxy(new Unlimited(), interfaces), proxy(new SimpleAliasRegistry(), interfaces),
				proxy(new GeneralRepository(), interfaces), proxy(null, interfaces), Proxy.newProxyInstance(
						Repository.class.getClassLoader(), interfaces, (proxy, method, arguments) -> null));
	}

	private static Object proxy(@Nullable Object target, Class<?>... interfaces) {
		ProxyFactory factory = new ProxyFactory(interfaces);
		if (target != null) {
			factory.setTarget(target);
		}
		factory.addAdvice((MethodInterceptor) (invocation) -> null);
		return factory.getProxy();
	}

	@Test
	void objectThatIsABeanUnderTwoNamesIsLimitedOnce() {
		this.runner.withUserConfiguration(TwoNames.class).run((context) -> {
			assertThat(context.getBean("contract")).isSameAs(context.getBean("service"));
			assertIsLimitedOnce(context);
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void beanBehindAFactoryOfProxiesIsLimitedOnce(boolean targetIsABean) {
		ProxyFactoryBean factory = new ProxyFactoryBean();
		factory.setInterfaces(Contract.class);
		ApplicationContextRunner runner = this.runner.withBean("service", ProxyFactoryBean.class, () -> factory);
		if (targetIsABean) {
			factory.setTargetName("target");
			runner.withBean("target", Service.class, Service::new).run(LimitedServices::assertIsLimitedOnce);
		}
		else {
			factory.setTarget(new Service());
			runner.run(LimitedServices::assertIsLimitedOnce);
		}
	}

	@Test
	void genericMethodIsLimitedUnderItsBridgeAndItsOwnName() {
		this.runner.withBean(TextStore.class).run((context) -> {
			Store<String> store = context.getBean(TextStore.class);
			store.save("a");
			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(() -> context.getBean(TextStore.class).save("a"));
			store.save("b");
			assertThat(names(context)).containsExactly("TextStore.save");
		});
	}

	@ParameterizedTest
	@ValueSource(ints = { Ordered.HIGHEST_PRECEDENCE + 2, -1000, 0, Ordered.LOWEST_PRECEDENCE - 1,
			Ordered.LOWEST_PRECEDENCE })
	void beanThatAPostProcessorTakesIsLimited(int order) {
		for (Capture capture : new Capture[] { new Capture(), new OrderedCapture(order) }) {
			this.runner.withBean("capturing", Capture.class, () -> capture)
				.withBean("service", Service.class)
				.run((context) -> assertLimited(((Service) capture.taken.get("service"))::limited));
		}
	}

	@Test
	void beanThatAPostProcessorTakesIsLimitedAlsoWhereItIsProxiedAnyway() {
		NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
		pointcut.addMethodName("limited");
		Capture capture = new OrderedCapture(0);
		this.runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withBean("transactions", Advisor.class, () -> new DefaultPointcutAdvisor(pointcut, noting()),
					(bean) -> bean.setRole(BeanDefinition.ROLE_INFRASTRUCTURE))
			.withBean("capturing", Capture.class, () -> capture)
			.withBean("service", Service.class)
			.run((context) -> {
				Object service = context.getBean("service");
				assertThat(capture.taken.get("service")).isSameAs(service);
				assertThat(AopUtils.isAopProxy(AopProxyUtils.getSingletonTarget(service))).isFalse();
				assertIsLimitedOnce(context);
				assertThat(this.begun).containsExactly("limited");
			});
	}

	@ParameterizedTest
	@ValueSource(ints = { Ordered.HIGHEST_PRECEDENCE + 2, 0, Ordered.LOWEST_PRECEDENCE })
	void adviceThatIsAddedLaterIsInsideOfOurs(int order) {
		for (boolean before : new boolean[] { true, false }) {
			this.begun.clear();
			this.runner.withBean("adding", AddingAdvice.class, () -> new AddingAdvice(order, before, noting()))
				.withBean("service", Service.class)
				.run((context) -> {
					assertThat(((Advised) context.getBean("service")).getAdvisors()).hasSize(2);
					assertOutermost(context.getBean("service"));
					assertIsLimitedOnce(context);
					assertThat(this.begun).containsExactly("limited");
				});
		}
	}

	@Test
	void scheduledMethodIsLimited() {
		this.runner.withUserConfiguration(Enabling.class)
			.withBean(ScheduledService.class)
			.run((context) -> assertLimited(() -> context.getBean(ScheduledTaskHolder.class)
				.getScheduledTasks()
				.iterator()
				.next()
				.getTask()
				.getRunnable()
				.run()));
	}

	@Test
	void rejectionOfAnAsynchronousMethodIsThrownOnTheCallersThread() {
		this.runner.withUserConfiguration(Enabling.class).withBean(AsynchronousService.class).run((context) -> {
			AsynchronousService service = context.getBean(AsynchronousService.class);
			assertOutermost(service);
			service.limited().join();
			CompletableFuture<Thread> rejected = service.limited();
			assertThat(rejected).isCompletedExceptionally();
			assertThatExceptionOfType(CompletionException.class).isThrownBy(rejected::join)
				.withCauseInstanceOf(RateLimitExceededException.class);
		});
	}

	@Test
	void rejectionIsNotTriedAgain() {
		this.runner.withUserConfiguration(Enabling.class).withBean(RetriedService.class).run((context) -> {
			RetriedService service = context.getBean(RetriedService.class);
			assertOutermost(service);
			assertThat(service.limited()).isEqualTo(2);
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(service::limited);
		});
	}

	private static void assertOutermost(Object proxy) {
		assertThat(((Advised) proxy).getAdvisors()[0]).isInstanceOf(RateLimitedAdvisor.class);
		assertThat(AopUtils.isAopProxy(AopProxyUtils.getSingletonTarget(proxy))).isFalse();
	}

	private MethodInterceptor noting() {
		return (invocation) -> {
			this.begun.add(invocation.getMethod().getName());
			return invocation.proceed();
		};
	}

	private static List<String> names(ApplicationContext context) {
		return context.getBean(RateLimiterRegistry.class)
			.policies()
			.stream()
			.map((each) -> each.policy().name())
			.toList();
	}

	interface Greeting {

		@RateLimited(limit = 1, window = "1m", key = "#name")
		void greet(String name);

	}

	static final class FinalService implements Contract {

		@Override
		@RateLimited(limit = 1, window = "1m")
		public void limited() {
		}

	}

	static class Unlimited {

	}

	interface Listing {

		void findAll();

	}

	@RateLimited(limit = 1, window = "1m")
	interface Repository extends Listing {

		void findNewest();

	}

	static class GeneralRepository implements Listing {

		@Override
		public void findAll() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoNames {

		@Bean
		Service service() {
			return new Service();
		}

		@Bean
		Contract contract(Service service) {
			return service;
		}

	}

	interface Store<T> {

		void save(T thing);

	}

	static class TextStore implements Store<String> {

		@Override
		@RateLimited(limit = 1, window = "1m", key = "#thing")
		public void save(String thing) {
		}

	}

	interface Source<T> {

		T read();

	}

	static class FutureSource implements Source<CompletableFuture<String>> {

		@Override
		@RateLimited(limit = 1, window = "1m")
		public CompletableFuture<String> read() {
			return CompletableFuture.completedFuture("a");
		}

	}

	static class Capture implements BeanPostProcessor {

		final Map<String, Object> taken = new HashMap<>();

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			this.taken.put(beanName, bean);
			return bean;
		}

	}

	static class OrderedCapture extends Capture implements Ordered {

		private final int order;

		OrderedCapture(int order) {
			this.order = order;
		}

		@Override
		public int getOrder() {
			return this.order;
		}

	}

	static class AddingAdvice extends AbstractAdvisingBeanPostProcessor {

		private static final long serialVersionUID = 1L;

		AddingAdvice(int order, boolean before, MethodInterceptor advice) {
			setOrder(order);
			setProxyTargetClass(true);
			setBeforeExistingAdvisors(before);
			this.advisor = new DefaultPointcutAdvisor(advice);
		}

		@Override
		protected boolean isEligible(Class<?> targetClass) {
			return targetClass == Service.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@EnableResilientMethods
	@EnableScheduling
	static class Enabling {

	}

	static class ScheduledService {

		@Scheduled(fixedDelay = 1, initialDelay = 100_000_000)
		@RateLimited(limit = 1, window = "1m")
		public void limited() {
		}

	}

	static class AsynchronousService {

		@Async
		@RateLimited(limit = 1, window = "1m")
		public CompletableFuture<Thread> limited() {
			return CompletableFuture.completedFuture(Thread.currentThread());
		}

	}

	static class RetriedService {

		private int calls;

		@Retryable(maxRetries = 2, delay = 0)
		@RateLimited(limit = 1, window = "1m")
		public int limited() {
			if (++this.calls == 1) {
				throw new IllegalStateException("expected by the test");
			}
			return this.calls;
		}

	}

}
