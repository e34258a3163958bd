package io.github.ratelimit.ai;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.ratelimit.autoconfigure.RateLimitRedisAutoConfiguration;
import io.github.ratelimit.redis.TestRedis;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingMethod;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

import org.springframework.ai.chat.model.ChatModel;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No thread that must not block does so for a model that streams, even if the budget is
 * in Redis.
 */
class NonBlockingTests {

	private static final Queue<String> BLOCKED = new ConcurrentLinkedQueue<>();

	@BeforeAll
	static void watch() {
		BlockHound.install((builder) -> builder.blockingMethodCallback(NonBlockingTests::note));
	}

	/* Lettuce holds a lock for a moment while it sends a command. */
	private static void note(BlockingMethod method) {
		String calls = Stream.of(new Throwable().getStackTrace())
			.map(StackTraceElement::toString)
			.collect(Collectors.joining("\n"));
		if (!calls.contains("io.lettuce.core.protocol.SharedLock")) {
			BLOCKED.add(method + " on " + Thread.currentThread().getName() + "\n" + calls);
		}
	}

	@Test
	void streamOfAModelBlocksNoThreadThatMustNot() {
		FakeModel fake = new FakeModel();
		try (TestRedis redis = TestRedis.start()) {
			Budgets
				.runner("ratelimit.store=redis", "spring.data.redis.port=" + redis.port(),
						"ratelimit.redis.timeout=30s")
				.withConfiguration(
						AutoConfigurations.of(DataRedisAutoConfiguration.class, RateLimitRedisAutoConfiguration.class))
				.withBean("model", ChatModel.class, () -> fake)
				.run((context) -> {
					Budgets budgets = new Budgets(context, fake);
					budgets.model().call("Hello world");
					BLOCKED.clear();

					Flux<String> both = Flux.concat(budgets.model().stream("Hello world"),
							budgets.client().prompt("Hello world").stream().content());
					assertThat(both.subscribeOn(Schedulers.parallel()).collectList().block(Duration.ofMinutes(1)))
						.contains("Yes");
					budgets.model().stream("Hello world").subscribeOn(Schedulers.parallel()).blockFirst();
					assertThat(BLOCKED).isEmpty();
				});
		}
	}

}
