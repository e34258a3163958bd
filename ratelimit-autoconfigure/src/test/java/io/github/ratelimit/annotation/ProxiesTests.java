package io.github.ratelimit.annotation;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiterRegistry;
import org.aopalliance.intercept.MethodInterceptor;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.framework.AbstractAdvisingBeanPostProcessor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.SimpleAliasRegistry;
import org.springframework.samples.petclinic.Visits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Limits hold through proxies of every kind, and once each.
 */
class ProxiesTests {

	@Test
	void classIsProxiedByASubclass() {
		LimitedBeans.runner().withBean(Service.class).run((context) -> {
			assertThat(AopUtils.isCglibProxy(context.getBean(Service.class))).isTrue();
			assertLimited(context.getBean(Service.class)::limited);
		});
	}

	@Test
	void classIsProxiedByItsInterfaceWhereThatIsAskedFor() {
		LimitedBeans.runner()
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean("service", Contract.class, Service::new)
			.run((context) -> {
				Contract service = context.getBean(Contract.class);
				assertThat(AopUtils.isJdkDynamicProxy(service)).isTrue();
				assertLimited(service::limited);
				assertThat(names(context.getBean(RateLimiterRegistry.class))).containsExactly("Service.limited");
			});
	}

	@Test
	void finalClassIsProxiedByItsInterface() {
		LimitedBeans.runner()
			.withBean("service", Contract.class, FinalService::new)
			.run((context) -> assertLimited(context.getBean(Contract.class)::limited));
	}

	@Test
	void beanOfAnApplicationBelowThePackageOfSpringIsLimited() {
		LimitedBeans.runner()
			.withBean(Visits.class)
			.run((context) -> assertLimited(context.getBean(Visits.class)::book));
	}

	@Test
	void beanWithoutLimitsIsNotProxied() {
		LimitedBeans.runner()
			.withBean(Unlimited.class)
			.run((context) -> assertThat(AopUtils.isAopProxy(context.getBean(Unlimited.class))).isFalse());
	}

	@Test
	void rejectedCallDoesNotReachTheOtherAdvice() {
		LimitedBeans.runner().withUserConfiguration(Transactions.class).withBean(Service.class).run((context) -> {
			Service service = context.getBean(Service.class);
			assertLimited(service::limited);
			assertThat(context.getBean(Begun.class).calls()).containsExactly("limited");
		});
	}

	@Test
	void beanThatIsAProxyAlreadyIsLimitedOnceAndOutermost() {
		List<String> begun = new ArrayList<>();
		LimitedBeans.runner()
			.withBean("service", Contract.class, () -> (Contract) transactional(new Service(), begun))
			.run((context) -> {
				assertLimited(context.getBean(Contract.class)::limited);
				assertThat(begun).containsExactly("limited");
				assertThat(context.getBean(RateLimiterRegistry.class)
					.policy("Service.limited")
					.count(RateLimitOutcome.ALLOWED)).isEqualTo(1);
			});
	}

	@ParameterizedTest
	@MethodSource("annotatedContracts")
	void proxyOfAnAnnotatedInterfaceThatItsTargetDoesNotImplementIsLimited(AnnotatedContract proxy) {
		LimitedBeans.runner().withBean("client", AnnotatedContract.class, () -> proxy).run((context) -> {
			assertLimited(context.getBean(AnnotatedContract.class)::limited);
			assertThat(context.getBean(RateLimiterRegistry.class).policies()).hasSize(1);
		});
	}

	static List<AnnotatedContract> annotatedContracts() {
		return List.of((AnnotatedContract) proxy(AnnotatedContract.class, new Unlimited()),
				(AnnotatedContract) proxy(AnnotatedContract.class, new SimpleAliasRegistry()),
				(AnnotatedContract) platformsProxy(AnnotatedContract.class));
	}

	@ParameterizedTest
	@MethodSource("repositories")
	void annotationOnTheInterfaceOfAProxyIsOneBudget(Repository proxy) {
		LimitedBeans.runner().withBean("client", Repository.class, () -> proxy).run((context) -> {
			context.getBean(Repository.class).findAll();
			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(context.getBean(Repository.class)::findNewest);
			assertThat(names(context.getBean(RateLimiterRegistry.class))).containsExactly("Repository");
		});
	}

	static List<Repository> repositories() {
		return List.of((Repository) proxy(Repository.class, new GeneralRepository()),
				ProxyFactory.getProxy(Repository.class, (MethodInterceptor) (invocation) -> null),
				(Repository) platformsProxy(Repository.class));
	}

	private static Object proxy(Class<?> type, Object target) {
		ProxyFactory factory = new ProxyFactory(target);
		factory.setInterfaces(type);
		factory.addAdvice((MethodInterceptor) (invocation) -> null);
		return factory.getProxy();
	}

	private static Object platformsProxy(Class<?> type) {
		return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> null);
	}

	@Test
	void objectThatIsABeanUnderTwoNamesIsLimitedOnce() {
		LimitedBeans.runner().withUserConfiguration(TwoNames.class).run((context) -> {
			Contract contract = context.getBean("contract", Contract.class);
			assertThat(contract).isSameAs(context.getBean("service"));
			assertLimitedOnce(contract, context);
		});
	}

	@Test
	void beanBehindAFactoryOfProxiesIsLimitedOnce() {
		LimitedBeans.runner().withBean("contract", ProxyFactoryBean.class, () -> {
			ProxyFactoryBean factory = new ProxyFactoryBean();
			factory.setInterfaces(Contract.class);
			factory.setTarget(new Service());
			return factory;
		}).run((context) -> assertLimitedOnce(context.getBean("contract", Contract.class), context));
	}

	@Test
	void proxyOfALimitedBeanIsNotLimitedAgain() {
		LimitedBeans.runner()
			.withBean("service", Service.class, Service::new)
			.withBean("contract", ProxyFactoryBean.class, () -> {
				ProxyFactoryBean factory = new ProxyFactoryBean();
				factory.setInterfaces(Contract.class);
				factory.setTargetName("service");
				return factory;
			})
			.run((context) -> assertLimitedOnce(context.getBean("contract", Contract.class), context));
	}

	private static void assertLimitedOnce(Contract contract, ApplicationContext context) throws Throwable {
		assertLimited(contract::limited);
		assertThat(context.getBean(RateLimiterRegistry.class)
			.policies()
			.stream()
			.mapToLong((policy) -> policy.count(RateLimitOutcome.REJECTED))
			.sum()).isEqualTo(1);
	}

	@Test
	void genericMethodIsLimitedUnderItsBridgeAndItsOwnName() {
		LimitedBeans.runner().withBean(TextStore.class).run((context) -> {
			Store<String> store = context.getBean(TextStore.class);
			store.save("a");
			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(() -> context.getBean(TextStore.class).save("a"));
			store.save("b");
			assertThat(names(context.getBean(RateLimiterRegistry.class))).containsExactly("TextStore.save");
		});
	}

	@Test
	void genericMethodIsLimitedThroughItsInterface() {
		LimitedBeans.runner()
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean("store", Store.class, TextStore::new)
			.run((context) -> {
				@SuppressWarnings("unchecked")
				Store<String> store = context.getBean(Store.class);
				assertLimited(() -> store.save("a"));
			});
	}

	private static void assertLimited(ThrowingCallable call) throws Throwable {
		call.call();
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(call);
	}

	private static List<String> names(RateLimiterRegistry limiter) {
		return limiter.policies().stream().map((each) -> each.policy().name()).toList();
	}

	private static Object transactional(Object target, List<String> begun) {
		ProxyFactory factory = new ProxyFactory(target);
		factory.addAdvice((MethodInterceptor) (invocation) -> {
			begun.add(invocation.getMethod().getName());
			return invocation.proceed();
		});
		return factory.getProxy();
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

	static final class FinalService implements Contract {

		@Override
		@RateLimited(limit = 1, window = "1m")
		public void limited() {
		}

	}

	static class Unlimited {

	}

	interface AnnotatedContract {

		@RateLimited(limit = 1, window = "1m")
		void limited();

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
		Contract contract(@Qualifier("service") Service service) {
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

	@Configuration(proxyBeanMethods = false)
	static class Transactions {

		@Bean
		static Begun begun() {
			return new Begun(new ArrayList<>());
		}

		@Bean
		static AbstractAdvisingBeanPostProcessor transactions(Begun begun) {
			return new TransactionPostProcessor(begun.calls());
		}

	}

	record Begun(List<String> calls) {
	}

	static class TransactionPostProcessor extends AbstractAdvisingBeanPostProcessor {

		private static final long serialVersionUID = 1L;

		TransactionPostProcessor(List<String> begun) {
			setProxyTargetClass(true);
			this.advisor = new DefaultPointcutAdvisor((MethodInterceptor) (invocation) -> {
				begun.add(invocation.getMethod().getName());
				return invocation.proceed();
			});
		}

		@Override
		protected boolean isEligible(Class<?> targetClass) {
			return Contract.class.isAssignableFrom(targetClass);
		}

	}

}
