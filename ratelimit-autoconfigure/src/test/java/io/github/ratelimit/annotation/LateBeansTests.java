package io.github.ratelimit.annotation;

import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.annotation.LimitedServices.Contract;
import io.github.ratelimit.annotation.LimitedServices.Service;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.junit.jupiter.api.Named.named;

/**
 * Beans that come into being late, often or by the hand of another bean, or whose class
 * is known only when they are made, because their definition does not tell it: each call
 * counts once, every object of a type shares the type's budgets, and mistakes are found.
 */
class LateBeansTests {

	@ParameterizedTest
	@MethodSource("beans")
	void beanIsLimitedOnce(UnaryOperator<ApplicationContextRunner> bean) {
		bean.apply(LimitedBeans.runner()).run(LimitedServices::assertIsLimitedOnce);
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
						(runner) -> runner.withBean("service", Untyped.class).withUserConfiguration(Asking.class)));
	}

	@Test
	void lateBeanThatCannotBeLimitedIsNotMade() {
		LimitedBeans.runner()
			.withBean("service", Runnable.class, FinalService::new, (bean) -> bean.setLazyInit(true))
			.run((context) -> {
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
			.withBean("service", Runnable.class, MistakenService::new, (bean) -> bean.setLazyInit(true))
			.run((context) -> assertThatException().isThrownBy(() -> context.getBean("service"))
				.withRootCauseInstanceOf(InvalidRateLimitException.class)
				.withStackTraceContaining("has no window"));
	}

	@Test
	void mistakeInAnAnnotationOfABeanWithoutATypeFailsStartUp() {
		LimitedBeans.runner()
			.withBean("service", Runnable.class, MistakenService::new, (bean) -> bean.setScope("prototype"))
			.withBean(User.class)
			.run((context) -> assertThat(context).getFailure().hasMessageContaining("has no window"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Scoped {

		@Bean
		@Scope(scopeName = BeanDefinition.SCOPE_PROTOTYPE, proxyMode = ScopedProxyMode.TARGET_CLASS)
		Service service() {
			return new Service();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Asking {

		@Bean
		Supplier<Object> user(ApplicationContext context) {
			Object service = context.getBean("service");
			return () -> service;
		}

	}

	static class Untyped implements FactoryBean<Object> {

		@Override
		public Object getObject() {
			return new Service();
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

}
