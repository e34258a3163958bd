package io.github.ratelimit.annotation;

import io.github.ratelimit.RateLimitExceededException;

import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Beans that may be called once a minute.
 */
final class LimitedServices {

	private LimitedServices() {
	}

	static void assertIsLimitedOnce(ApplicationContext context) {
		Contract service = (Contract) context.getBean("service");
		service.limited();
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(service::limited);
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

}
