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
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.graphql.data.method.annotation.BatchMapping;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.simp.annotation.SubscribeMapping;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Methods that would hold a thread while they wait fail start-up: handlers that are
 * limited as methods, with a thread of the server, and suspending functions of Kotlin, as
 * the compiler leaves them, with one of their dispatcher, because Spring cannot wait for
 * them without kotlinx-coroutines-reactor, which is not here.
 */
class BlockingWaitTests {

	private final ApplicationContextRunner runner = LimitedBeans.runner()
		.withPropertyValues("ratelimit.policies.slow.algorithm=leaky-bucket", "ratelimit.policies.slow.limit=1",
				"ratelimit.policies.slow.window=1s", "ratelimit.policies.slow.burst=5");

	@ParameterizedTest
	@ValueSource(classes = { Query.class, Batch.class, MessageHandler.class, Subscription.class, ReadsArguments.class })
	void handlerThatWouldHoldAThreadFailsStartUp(Class<?> type) {
		this.runner.withBean(type)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageStartingWith("@RateLimited on " + type.getSimpleName() + ".handle")
				.hasMessageContaining("would hold a thread that others need"));
	}

	@Test
	void whatToRemoveIsNamedAsItIsWritten() {
		this.runner.withBean(AnnotatedWait.class)
			.run((context) -> assertThat(context).getFailure()
				.extracting((failure) -> ((InvalidRateLimitException) failure).action())
				.asString()
				.startsWith("Remove maxWait, or "));
		this.runner
			.withPropertyValues("ratelimit.policies.waits.limit=1", "ratelimit.policies.waits.window=1s",
					"ratelimit.policies.waits.max-wait=1s")
			.withBean(ConfiguredWait.class)
			.run((context) -> assertThat(context).getFailure()
				.extracting((failure) -> ((InvalidRateLimitException) failure).action())
				.asString()
				.startsWith("Remove max-wait, or "));
	}

	@ParameterizedTest
	@ValueSource(classes = { Query.class, ReadsArguments.class })
	void handlerThatWaitsOnAVirtualThreadMayHoldIt(Class<?> type) {
		this.runner.withPropertyValues("spring.threads.virtual.enabled=true")
			.withBean(type)
			.run((context) -> assertThat(context.getStartupFailure() == null)
				.isEqualTo(Runtime.version().feature() >= 21));
	}

	@ParameterizedTest
	@ValueSource(classes = { SuspendingHandler.class, SuspendingType.class })
	void suspendingFunctionThatWaitsFailsStartUp(Class<?> service) {
		for (String virtual : new String[] { "false", "true" }) {
			this.runner.withBean(service)
				.withPropertyValues("spring.threads.virtual.enabled=" + virtual)
				.run((context) -> assertThat(context).getFailure()
					.hasMessage("@RateLimited on " + service.getSimpleName()
							+ ".find(String) would hold a thread that others need while a call waits "
							+ "in the leaky bucket"));
		}
	}

	@Test
	void whatDoesNotWaitOrHoldsNoThreadIsLeftAlone() {
		this.runner.withBean(Handlers.class)
			.withBean(Services.class)
			.run((context) -> assertThat(context).hasNotFailed());
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
						.withMessage("@RateLimited on Overridden.handle() would hold a thread that others need "
								+ "while a call waits in the leaky bucket");
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

		@RateLimited("slow")
		@QueryMapping
		public String handle() {
			return "";
		}

	}

	@Controller
	static class AnnotatedWait {

		@RateLimited(limit = 1, window = "1s", maxWait = "1s")
		@QueryMapping
		public String handle() {
			return "";
		}

	}

	@Controller
	static class ConfiguredWait {

		@RateLimited("waits")
		@QueryMapping
		public String handle() {
			return "";
		}

	}

	@Controller
	static class Batch {

		@RateLimited("slow")
		@BatchMapping(typeName = "Book")
		public Map<String, String> handle(List<String> keys) {
			return Map.of();
		}

	}

	@Controller
	static class MessageHandler {

		@RateLimited("slow")
		@MessageMapping("handle")
		public void handle() {
		}

	}

	@Controller
	static class Subscription {

		@RateLimited("slow")
		@SubscribeMapping("handle")
		public void handle() {
		}

	}

	@Controller
	static class ReadsArguments {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "10s", burst = 1, key = "#user")
		@GetMapping("/")
		public void handle(String user) {
		}

	}

	@Controller
	static class SuspendingHandler {

		@GetMapping("/find")
		@RateLimited("slow")
		public Object find(String id, Continuation<? super String> completion) {
			return id;
		}

	}

	@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1m", burst = 1)
	static class SuspendingType {

		public Object find(String id, Continuation<? super String> completion) {
			return id;
		}

	}

	@Controller
	static class Handlers {

		@RateLimited("slow")
		@QueryMapping
		public CompletableFuture<String> queryLater() {
			return CompletableFuture.completedFuture("");
		}

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1m", burst = 1, nodelay = true)
		@QueryMapping
		public String queryAtOnce() {
			return "";
		}

		@RateLimited(policy = "slow", key = "#user")
		@GetMapping("/later")
		public CompletableFuture<String> later(String user) {
			return CompletableFuture.completedFuture(user);
		}

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "10s", burst = 1, nodelay = true,
				key = "#user")
		@GetMapping("/at-once")
		public void atOnce(String user) {
		}

		@RateLimited(policy = "slow", key = "header('X')")
		@GetMapping("/before")
		public void beforeItsArgumentsAreRead(String user) {
		}

	}

	static class Services {

		@RateLimited(policy = "slow", key = "#user")
		public void noHandler(String user) {
		}

		@RateLimited(limit = 1, window = "1m", key = "#id")
		public Object suspendsAndDoesNotWait(String id, Continuation<? super String> completion) {
			return id;
		}

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1m", burst = 1, nodelay = true)
		public Object suspendsAtOnce(String id, Continuation<? super String> completion) {
			return id;
		}

		@RateLimited("slow")
		public Object doesNotSuspend(Continuation<? super String> completion, String id) {
			return id;
		}

	}

}
