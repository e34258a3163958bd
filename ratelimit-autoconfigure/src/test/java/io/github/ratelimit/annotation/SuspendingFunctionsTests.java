package io.github.ratelimit.annotation;

import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMethodAutoConfiguration;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/**
 * Suspending functions of Kotlin, as the compiler leaves them: one that waits would hold
 * a thread of its dispatcher.
 */
class SuspendingFunctionsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class));

	@ParameterizedTest
	@ValueSource(classes = { Service.class, Handler.class, OnType.class })
	void suspendingFunctionThatWaitsFailsStartUp(Class<?> service) {
		for (String virtual : new String[] { "false", "true" }) {
			this.runner.withBean(service)
				.withPropertyValues("spring.threads.virtual.enabled=" + virtual)
				.run((context) -> assertThat(context).getFailure()
					.hasMessage("@RateLimited on " + service.getSimpleName()
							+ ".find(String, Continuation) would hold a "
							+ "thread of its dispatcher while a call waits in the leaky bucket, because it is a "
							+ "suspending function")
					.asInstanceOf(type(InvalidRateLimitException.class))
					.extracting(InvalidRateLimitException::action)
					.isEqualTo("Use nodelay or another algorithm, which let nobody wait."));
		}
	}

	@Test
	void suspendingFunctionOfAPolicyThatWaitsFailsStartUp() {
		this.runner.withBean(OfPolicy.class)
			.withPropertyValues("ratelimit.policies.slow.limits[0].algorithm=leaky-bucket",
					"ratelimit.policies.slow.limits[0].limit=1", "ratelimit.policies.slow.limits[0].window=1s",
					"ratelimit.policies.slow.limits[0].burst=5")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageContaining("suspending function"));
	}

	@ParameterizedTest
	@ValueSource(classes = { NotWaiting.class, NoDelay.class, Later.class, OtherParameter.class })
	void whatDoesNotWaitOrDoesNotSuspendIsLeftAlone(Class<?> type) {
		this.runner.withBean(type).run((context) -> assertThat(context).hasNotFailed());
	}

	static class Service {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1m", burst = 1)
		public Object find(String id, Continuation<? super String> completion) {
			return id;
		}

	}

	@RestController
	static class Handler {

		@GetMapping("/find")
		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1m", burst = 1)
		public Object find(String id, Continuation<? super String> completion) {
			return id;
		}

	}

	@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1m", burst = 1)
	static class OnType {

		public Object find(String id, Continuation<? super String> completion) {
			return id;
		}

	}

	static class OfPolicy {

		@RateLimited("slow")
		public Object find(String id, Continuation<? super String> completion) {
			return id;
		}

	}

	static class NotWaiting {

		@RateLimited(limit = 1, window = "1m", key = "#id")
		public Object find(String id, Continuation<? super String> completion) {
			return id;
		}

	}

	static class NoDelay {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1m", burst = 1, nodelay = true)
		public Object find(String id, Continuation<? super String> completion) {
			return id;
		}

	}

	static class Later {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1m", burst = 1)
		public CompletableFuture<String> find(String id) {
			return CompletableFuture.completedFuture(id);
		}

	}

	static class OtherParameter {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1m", burst = 1)
		public Object resume(Continuation<? super String> completion, String id) {
			return id;
		}

	}

}
