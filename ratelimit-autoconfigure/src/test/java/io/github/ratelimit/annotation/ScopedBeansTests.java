package io.github.ratelimit.annotation;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Beans that come into being late, often, or by the hand of another bean: each call
 * counts once, and every object of a type shares the type's budgets.
 */
class ScopedBeansTests {

	@Test
	void scopedProxyCountsACallOnce() {
		assertLimitedAfterTwo(Scoped.class);
	}

	@Test
	void prototypesShareOneBudget() {
		assertLimitedAfterTwo(Prototypes.class);
	}

	@Test
	void lazyBeanIsLimited() {
		assertLimitedAfterTwo(LazyBean.class);
	}

	@Test
	void productOfAFactoryBeanIsLimited() {
		assertLimitedAfterTwo(Factories.class);
	}

	private static void assertLimitedAfterTwo(Class<?> configuration) {
		LimitedBeans.runner().withUserConfiguration(configuration).run((context) -> {
			context.getBean("service", Service.class).limited();
			context.getBean("service", Service.class).limited();
			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(() -> context.getBean("service", Service.class).limited());
			RateLimiterRegistry limiter = context.getBean(RateLimiterRegistry.class);
			assertThat(limiter.policies()).singleElement().satisfies((policy) -> {
				assertThat(policy.policy().name()).isEqualTo("Service.limited");
				assertThat(policy.count(RateLimitOutcome.ALLOWED)).isEqualTo(2);
				assertThat(policy.appliedTo()).containsExactly("Service.limited()");
			});
		});
	}

	static class Service {

		@RateLimited(limit = 2, window = "1m")
		public void limited() {
		}

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
	static class Prototypes {

		@Bean
		@Scope(BeanDefinition.SCOPE_PROTOTYPE)
		Service service() {
			return new Service();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyBean {

		@Bean
		@Lazy
		Service service() {
			return new Service();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Factories {

		@Bean
		FactoryBean<Service> service() {
			return new FactoryBean<>() {

				@Override
				public Service getObject() {
					return new Service();
				}

				@Override
				public Class<?> getObjectType() {
					return Service.class;
				}

			};
		}

	}

}
