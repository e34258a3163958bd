package io.github.ratelimit.annotation;

import java.util.function.Supplier;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.annotation.LimitedServices.Contract;
import io.github.ratelimit.annotation.LimitedServices.Service;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Beans whose class is known only when they are made, because their definition does not
 * tell it, are limited, and their mistakes are found then.
 */
class LateBeansTests {

	@ParameterizedTest
	@ValueSource(classes = { ByInterface.class, ByUntypedFactoryBean.class, LazyByInterface.class,
			PrototypeByInterface.class, LazyByFactoryBean.class })
	void beanIsLimitedOnce(Class<?> configuration) {
		LimitedBeans.runner().withUserConfiguration(configuration).run(LimitedServices::assertIsLimitedOnce);
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
	void mistakeInAnAnnotationOfABeanWithoutATypeFailsStartUp() {
		LimitedBeans.runner()
			.withUserConfiguration(PrototypeMistake.class)
			.run((context) -> assertThat(context).getFailure().hasMessageContaining("has no window"));
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

	static class Other {

	}

}
