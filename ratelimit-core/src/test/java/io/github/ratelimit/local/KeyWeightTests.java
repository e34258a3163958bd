package io.github.ratelimit.local;

import java.time.Duration;
import java.util.stream.IntStream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Tick;
import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.MemoryBudget;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class KeyWeightTests {

	private static final long ARRAY = 24;

	private static final long STATE = 40;

	private static final int MAXIMUM = 10_000;

	@AutoClose
	private final LocalRateLimitStore store = new LocalRateLimitStore(ManualClock.atMidnight(), 1000, MAXIMUM);

	private final KeyMemory<String> memory = this.store.memories().open(100);

	@Test
	void aKeyWeighsItsEntryItsTextAndItsState() {
		LocalKeys<LocalState> keys = new LocalKeys<>(() -> 0, 10, new MemoryBudget(1000));
		new LocalDecider(RateLimitPolicy.of("policy", limit(TOKEN_BUCKET, 5)), keys).decide("key", 1);
		assertThat(keys.bytes()).isEqualTo(192 + 3 * 2 + ARRAY + 2 * 8);
		new LocalDecider(RateLimitPolicy.of("policy", limit(SLIDING_WINDOW_LOG, 5)), keys).decide("key", 3);
		assertThat(keys.bytes()).isEqualTo(192 + 3 * 2 + STATE + ARRAY + 5 * 8);
	}

	@Test
	void theHeaviestLogIsBlamed() {
		assertThat(blamed(limit(SLIDING_WINDOW_LOG, 10), limit(SLIDING_WINDOW_LOG, 20), limit(TOKEN_BUCKET, 30)))
			.satisfies((ex) -> assertThat(ex.attribute()).isEqualTo("limits[1].limit"))
			.satisfies((ex) -> assertThat(ex.action()).contains("sliding-window-counter"));
	}

	@Test
	void withoutAMaximumASixteenthOfTheHeapIsTheMost() {
		try (LocalRateLimitStore store = new LocalRateLimitStore(ManualClock.atMidnight(), 100)) {
			assertThat(store.memory().maximum()).isEqualTo(Runtime.getRuntime().maxMemory() / 16);
		}
	}

	private static InvalidRateLimitException blamed(RateLimit... limits) {
		RateLimitPolicy policy = RateLimitPolicy.of("policy", limits);
		Algorithm algorithm = Algorithm.of(policy, Tick.NANOSECOND);
		return catchThrowableOfType(InvalidRateLimitException.class, () -> KeyWeight.check(policy, algorithm, 1));
	}

	private static RateLimit limit(RateLimitAlgorithm algorithm, long limit) {
		return RateLimit.of(algorithm, limit, Duration.ofMinutes(1));
	}

	@Test
	void remembersTheFirstValueOfAKey() {
		assertThat(this.memory.find("key")).isNull();
		assertThat(this.memory.findOrAdd("key", () -> "first")).isEqualTo("first");
		assertThat(this.memory.findOrAdd("key", () -> "second")).isEqualTo("first");
		for (int i = 0; i < 100; i++) {
			assertThat(this.memory.find("key")).isEqualTo("first");
		}
		assertThat(this.store.memory().used()).isEqualTo(192 + 3 * 2 + 100);
	}

	@Test
	void staysWithinTheBytes() {
		IntStream.range(0, 100).forEach((i) -> this.memory.findOrAdd("key" + i, () -> "value"));
		assertThat(this.store.memory().used()).isBetween(MAXIMUM * 9L / 10, (long) MAXIMUM);
	}

}
