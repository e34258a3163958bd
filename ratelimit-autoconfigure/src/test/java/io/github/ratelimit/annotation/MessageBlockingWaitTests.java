package io.github.ratelimit.annotation;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMethodAutoConfiguration;
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

/**
 * Handlers of GraphQL and of messages are limited as methods: one that waits holds its
 * thread, whatever its key, unless it answers later.
 */
class MessageBlockingWaitTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class));

	@ParameterizedTest
	@ValueSource(classes = { Query.class, Batch.class, MessageHandler.class, Subscription.class })
	void handlerThatWouldHoldAThreadEndsTheStart(Class<?> type) {
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
