package io.github.ratelimit.annotation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.RateLimitExceededException;
import org.aopalliance.intercept.MethodInterceptor;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.AbstractAdvisingBeanPostProcessor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.config.ScheduledTask;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.test.util.AopTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Post-processors of the application that take a bean to call it later, as those of
 * listeners do, take the limited one; and those that add advice leave ours outermost.
 */
class CapturingPostProcessorsTests {

	@ParameterizedTest
	@ValueSource(ints = { Ordered.HIGHEST_PRECEDENCE + 2, -1000, 0, Ordered.LOWEST_PRECEDENCE - 1,
			Ordered.LOWEST_PRECEDENCE })
	void beanThatAnOrderedPostProcessorTakesIsLimited(int order) {
		LimitedBeans.runner()
			.withBean("capturing", OrderedCapture.class, () -> new OrderedCapture(order))
			.withBean("service", Service.class)
			.run((context) -> assertLimited(context.getBean(OrderedCapture.class).taken(Service.class)::limited));
	}

	@Test
	void beanThatAPostProcessorWithoutOrderTakesIsLimited() {
		LimitedBeans.runner()
			.withBean("capturing", Capture.class)
			.withBean("service", Service.class)
			.run((context) -> assertLimited(context.getBean(Capture.class).taken(Service.class)::limited));
	}

	@Test
	void beanThatAPostProcessorTakesIsLimitedAlsoWhereItIsProxiedAnyway() {
		LimitedBeans.runner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withUserConfiguration(Transactions.class)
			.withBean("capturing", OrderedCapture.class, () -> new OrderedCapture(0))
			.withBean("service", Service.class)
			.run((context) -> {
				Service service = context.getBean(Service.class);
				assertThat(context.getBean(OrderedCapture.class).taken(Service.class)).isSameAs(service);
				assertThat(AopUtils.isAopProxy(AopProxyUtils.getSingletonTarget(service))).isFalse();
				assertLimited(service::limited);
				assertThat(context.getBean(Begun.class).calls()).containsExactly("limited");
			});
	}

	@Test
	void scheduledMethodIsLimited() {
		LimitedBeans.runner().withUserConfiguration(Schedule.class).run((context) -> {
			Runnable task = context.getBean(ScheduledTaskHolder.class)
				.getScheduledTasks()
				.stream()
				.map(ScheduledTask::getTask)
				.findFirst()
				.orElseThrow()
				.getRunnable();
			assertLimited(task::run);
		});
	}

	@Test
	void rejectionOfAnAsynchronousMethodIsThrownOnTheCallersThread() {
		LimitedBeans.runner().withUserConfiguration(Asynchronous.class).run((context) -> {
			AsynchronousService service = context.getBean(AsynchronousService.class);
			assertThat(AopUtils.isAopProxy(AopTestUtils.getTargetObject(service))).isFalse();
			assertThat(outermost(service)).isEqualTo(ours(context.getBean(RateLimitedBeanPostProcessor.class)));
			service.limited().join();
			CompletableFuture<Thread> rejected = service.limited();
			assertThat(rejected).isCompletedExceptionally();
			assertThatExceptionOfType(CompletionException.class).isThrownBy(rejected::join)
				.withCauseInstanceOf(RateLimitExceededException.class);
		});
	}

	@Test
	void rejectionIsNotTriedAgain() {
		LimitedBeans.runner().withUserConfiguration(Resilient.class).run((context) -> {
			RetriedService service = context.getBean(RetriedService.class);
			assertThat(outermost(service)).isEqualTo(ours(context.getBean(RateLimitedBeanPostProcessor.class)));
			assertThat(service.limited()).isEqualTo(2);
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(service::limited);
		});
	}

	@ParameterizedTest
	@ValueSource(ints = { Ordered.HIGHEST_PRECEDENCE + 2, 0, Ordered.LOWEST_PRECEDENCE })
	void adviceThatIsAddedLaterIsInsideOfOurs(int order) {
		LimitedBeans.runner()
			.withBean("adding", AddingAdvice.class, () -> new AddingAdvice(order))
			.withBean("service", Service.class)
			.run((context) -> {
				Service service = context.getBean(Service.class);
				assertThat(((Advised) service).getAdvisors()).hasSize(2);
				assertThat(outermost(service)).isEqualTo(ours(context.getBean(RateLimitedBeanPostProcessor.class)));
				assertLimited(service::limited);
				assertThat(context.getBean(AddingAdvice.class).begun).hasValue(1);
			});
	}

	private static Advisor outermost(Object proxy) {
		return ((Advised) proxy).getAdvisors()[0];
	}

	private static Advisor ours(RateLimitedBeanPostProcessor processor) {
		return processor.advisor();
	}

	private static void assertLimited(ThrowingCallable call) throws Throwable {
		call.call();
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(call);
	}

	static class Service {

		@RateLimited(limit = 1, window = "1m")
		public void limited() {
		}

	}

	static class Capture implements BeanPostProcessor {

		private final Map<Class<?>, Object> taken = new HashMap<>();

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			this.taken.put(AopUtils.getTargetClass(bean), bean);
			return bean;
		}

		<T> T taken(Class<T> type) {
			return type.cast(this.taken.get(type));
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

	record Begun(List<String> calls) {
	}

	@Configuration(proxyBeanMethods = false)
	static class Transactions {

		@Bean
		static Begun begun() {
			return new Begun(new ArrayList<>());
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor transactions(Begun begun) {
			NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
			pointcut.addMethodName("limited");
			return new DefaultPointcutAdvisor(pointcut, (MethodInterceptor) (invocation) -> {
				begun.calls().add(invocation.getMethod().getName());
				return invocation.proceed();
			});
		}

	}

	static class AddingAdvice extends AbstractAdvisingBeanPostProcessor {

		private static final long serialVersionUID = 1L;

		private final AtomicInteger begun = new AtomicInteger();

		AddingAdvice(int order) {
			setOrder(order);
			setProxyTargetClass(true);
			setBeforeExistingAdvisors(true);
			this.advisor = new DefaultPointcutAdvisor((MethodInterceptor) (invocation) -> {
				this.begun.incrementAndGet();
				return invocation.proceed();
			});
		}

		@Override
		protected boolean isEligible(Class<?> targetClass) {
			return targetClass == Service.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Schedule {

		@Bean
		ScheduledService scheduledService() {
			return new ScheduledService();
		}

	}

	static class ScheduledService {

		@Scheduled(fixedDelay = 1, initialDelay = 100_000_000)
		@RateLimited(limit = 1, window = "1m")
		public void limited() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class Asynchronous {

		@Bean
		AsynchronousService asynchronousService() {
			return new AsynchronousService();
		}

	}

	static class AsynchronousService {

		@Async
		@RateLimited(limit = 1, window = "1m")
		public CompletableFuture<Thread> limited() {
			return CompletableFuture.completedFuture(Thread.currentThread());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Resilient {

		@Bean
		RetriedService retriedService() {
			return new RetriedService();
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
