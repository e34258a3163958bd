package io.github.ratelimit.annotation;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.annotation.LimitedServices.Contract;
import io.github.ratelimit.annotation.LimitedServices.Service;
import io.github.ratelimit.expression.KeyResolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Beans that are made before all post-processors, because one of these or what limits
 * needs them, are limited, or fail start-up.
 */
class EarlyBeansTests {

	@ParameterizedTest
	@ValueSource(classes = { ForBeanPostProcessor.class, ForOrderedBeanPostProcessor.class,
			ForBeanFactoryPostProcessor.class, ForKeyResolver.class, ForListener.class,
			AfterRegistryPostProcessor.class })
	void beanIsLimitedOnce(Class<?> configuration) {
		LimitedBeans.runner().withUserConfiguration(configuration).run(LimitedServices::assertIsLimitedOnce);
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
	void beanThatIsMadeBeforeAllPostProcessorsFailsStartUp() {
		LimitedBeans.runner()
			.withUserConfiguration(ForRegistryPostProcessor.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessage(
						"@RateLimited on Service.limited() would have no effect, because the bean 'service' is made "
								+ "before all post-processors, for one that changes bean definitions"));
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

	static class RegistryPostProcessor implements BeanDefinitionRegistryPostProcessor {

		@Override
		public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
		}

	}

}
