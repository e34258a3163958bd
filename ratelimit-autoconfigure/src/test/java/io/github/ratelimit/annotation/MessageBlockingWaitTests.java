package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMethodAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.graphql.data.method.annotation.BatchMapping;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.simp.annotation.SubscribeMapping;
import org.springframework.stereotype.Controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Handlers of GraphQL and of messages are limited as methods: one that waits holds its
 * thread, whatever its key, unless it answers later.
 */
class MessageBlockingWaitTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class));

	@ParameterizedTest
	@ValueSource(classes = { Query.class, Batch.class, MessageHandler.class, Subscription.class })
	void handlerThatWouldHoldAThreadFailsStartUp(Class<?> type) {
		this.runner.withBean(type)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageStartingWith("@RateLimited on " + type.getSimpleName() + ".handle")
				.hasMessageContaining("would hold a thread of the server"));
	}

	@ParameterizedTest
	@ValueSource(classes = { QueryLater.class, NotWaiting.class })
	void handlerThatHoldsNoThreadIsLeftAlone(Class<?> type) {
		this.runner.withBean(type).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void overrideThatWouldMakeAHandlerHoldAThreadIsRejectedWithTheSameWords() {
		RateLimit waiting = RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
			.limit(1)
			.window(Duration.ofMinutes(1))
			.burst(1L)
			.build();
		this.runner
			.withPropertyValues("ratelimit.policies.shared.key=clientAddress", "ratelimit.policies.shared.limit=1",
					"ratelimit.policies.shared.window=1m", "ratelimit.policies.shared.plan='pro'",
					"ratelimit.policies.shared.plans.pro.limit=5", "ratelimit.policies.shared.plans.pro.window=1m",
					"ratelimit.policies.other.limit=1", "ratelimit.policies.other.window=1m",
					"ratelimit.policies.other.key=clientAddress")
			.withBean(Overridden.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				RateLimitOverrides overrides = context.getBean(RateLimiterRegistry.class).overrides();
				for (RateLimitOverride.Builder override : List.of(RateLimitOverride.of("shared"),
						RateLimitOverride.of("shared").key("k"), RateLimitOverride.of("shared").plan("pro"))) {
					assertThatExceptionOfType(InvalidRateLimitException.class)
						.isThrownBy(() -> overrides.put(override.limit(waiting).build()))
						.withMessage("@RateLimited on Overridden.handle() would hold a thread of the server while a "
								+ "message or a field waits in the leaky bucket");
				}
				overrides.put(RateLimitOverride.of("other").limit(waiting).build());
			});
	}

	@Controller
	static class Overridden {

		@RateLimited("shared")
		@QueryMapping
		public String handle() {
			return "";
		}

	}

	@Controller
	static class Query {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1m", burst = 1)
		@QueryMapping
		public String handle() {
			return "";
		}

	}

	@Controller
	static class Batch {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1m", burst = 1)
		@BatchMapping(typeName = "Book")
		public Map<String, String> handle(List<String> keys) {
			return Map.of();
		}

	}

	@Controller
	static class MessageHandler {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1m", burst = 1)
		@MessageMapping("handle")
		public void handle() {
		}

	}

	@Controller
	static class Subscription {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1m", burst = 1)
		@SubscribeMapping("handle")
		public void handle() {
		}

	}

	@Controller
	static class QueryLater {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1m", burst = 1)
		@QueryMapping
		public CompletableFuture<String> handle() {
			return CompletableFuture.completedFuture("");
		}

	}

	@Controller
	static class NotWaiting {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1m", burst = 1, nodelay = true)
		@QueryMapping
		public String handle() {
			return "";
		}

	}

}
