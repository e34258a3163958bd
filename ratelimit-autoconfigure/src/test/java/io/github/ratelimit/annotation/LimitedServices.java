package io.github.ratelimit.annotation;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiterRegistry;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Beans that may be called once a minute.
 */
final class LimitedServices {

	private LimitedServices() {
	}

	static void assertIsLimitedOnce(ApplicationContext context) {
		assertLimited(() -> ((Contract) context.getBean("service")).limited());
		assertThat(context.getBean(RateLimiterRegistry.class).policies()).singleElement().satisfies((policy) -> {
			assertThat(policy.policy().name()).isEqualTo("Service.limited");
			assertThat(policy.count(RateLimitOutcome.ALLOWED)).isEqualTo(1);
			assertThat(policy.count(RateLimitOutcome.REJECTED)).isEqualTo(1);
			assertThat(policy.appliedTo()).containsExactly("Service.limited()");
		});
	}

	static void assertLimited(ThrowingCallable call) {
		try {
			call.call();
		}
		catch (Throwable ex) {
			throw new AssertionError("The first call was not made", ex);
		}
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(call);
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

	interface AnnotatedContract {

		@RateLimited(limit = 1, window = "1m")
		void limited();

	}

}
