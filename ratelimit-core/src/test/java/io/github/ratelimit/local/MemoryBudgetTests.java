package io.github.ratelimit.local;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.Threads;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The keys of all policies stay within a number of bytes, and whose keys go if they would
 * not.
 */
class MemoryBudgetTests {

	private static final int THREADS = 8;

	private static final long MAXIMUM = 1 << 20;

	private static final Duration HOUR = Duration.ofHours(1);

	private final ManualClock clock = ManualClock.atMidnight();

	@AutoClose
	private final LocalRateLimitStore store = store(MAXIMUM);

	@ParameterizedTest
	@EnumSource
	void newKeysTakeNoMoreThanThereIs(RateLimitAlgorithm algorithm) {
		PolicyDecider states = open(this.store, "policy", RoomyLimits.of(algorithm, 5, HOUR));
		for (int i = 0; i < 20_000; i++) {
			states.decide("x".repeat(i % 257) + i, 1);
			assertThat(this.store.memory().used()).isLessThanOrEqualTo(MAXIMUM);
		}
		assertThat(this.store.memory().used()).isGreaterThan(MAXIMUM * 9 / 10);
		assertThat(states.evictions() + states.keys()).isEqualTo(20_000);
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 100, 3000 })
	void logsGrowWithinWhatThereIs(long cost) {
		PolicyDecider states = open(this.store, "log", RateLimit.of(SLIDING_WINDOW_LOG, 30_000, HOUR));
		for (int i = 0; i < 30_000; i++) {
			states.decide("key" + i % 13, cost);
			assertThat(this.store.memory().used()).isLessThanOrEqualTo(MAXIMUM);
		}
		assertThat(states.evictions() > 0).isEqualTo(cost > 1);
	}

	@Test
	void aLogThatIsAloneGrowsToItsLimit() {
		int limit = 60_000;
		PolicyDecider log = open(this.store, "log", RateLimit.of(SLIDING_WINDOW_LOG, limit, HOUR));
		PolicyDecider others = open(this.store, "others", RateLimit.of(TOKEN_BUCKET, 5, HOUR));
		for (int i = 0; i < limit; i++) {
			assertThat(log.decide("key", 1).allowed()).isTrue();
			others.decide("other" + i, 1);
		}
		assertThat(log.decide("key", 1).allowed()).isFalse();
		assertThat(log.evictions()).isZero();
		assertThat(others.evictions()).isPositive();
		assertThat(this.store.memory().used()).isLessThanOrEqualTo(MAXIMUM);
	}

	@ParameterizedTest
	@EnumSource
	void aFloodFromManyThreadsTakesHardlyMoreThanThereIs(RateLimitAlgorithm algorithm) {
		PolicyDecider states = open(this.store, "policy", RoomyLimits.of(algorithm, 5, HOUR));
		assertThat(mostDuringFlood(states, this.store.memory()::used)).isLessThanOrEqualTo(MAXIMUM + THREADS * 400);
		assertThat(this.store.memory().used()).isBetween(MAXIMUM * 9 / 10, MAXIMUM);
	}

	/*
	 * Caffeine buffers writes, and who is held up while reading adds counts of different
	 * moments.
	 */
	@Test
	void aFloodFromManyThreadsKeepsNoMoreKeysThanAFewTimesTheMaximumSize() {
		try (LocalRateLimitStore small = new LocalRateLimitStore(this.clock, 1000, Long.MAX_VALUE)) {
			PolicyDecider states = open(small, "policy", RateLimit.of(TOKEN_BUCKET, 5, HOUR));
			assertThat(mostDuringFlood(states, states::keys)).isLessThanOrEqualTo(5000);
		}
	}

	private static long mostDuringFlood(PolicyDecider states, LongSupplier watched) {
		AtomicLong busy = new AtomicLong(THREADS - 1);
		return Threads.sum(THREADS, (number) -> {
			long seen = 0;
			for (int i = 0; number > 0 && i < 20_000; i++) {
				states.decide(number + "-" + i, 1);
			}
			busy.decrementAndGet();
			while (number == 0 && busy.get() > 0) {
				seen = Math.max(seen, watched.getAsLong());
			}
			return seen;
		});
	}

	@Test
	void whatIsCountedIsWhatIsThere() {
		RandomCases.check(20, (random) -> {
			List<RateLimit> limits = List.of(RandomLimits.any(random, SLIDING_WINDOW_LOG),
					RandomLimits.any(random, SLIDING_WINDOW_LOG), RandomLimits.any(random, LEAKY_BUCKET));
			try (LocalRateLimitStore store = store(50_000)) {
				List<PolicyDecider> all = List.of(open(store, "log", limits.get(0)),
						open(store, "bucket", limits.get(2)), open(store, "both", limits.toArray(RateLimit[]::new)));
				Threads.run(THREADS, (number) -> {
					for (int i = 0; i < 2000; i++) {
						PolicyDecider states = all.get((i + number) % 3);
						String key = "key" + (i * 31 + number) % 300;
						RateLimitDecision decision = states.decide(key, i % 5);
						switch (i % 50) {
							case 10 -> states.reset(key);
							case 20 -> store.forgetIdle();
							case 30 -> this.clock.advanceNanos(limits.get(i % 3).window().toNanos() / 3);
							case 41 -> {
								if (decision.allowed()) {
									states.refund(key, i % 5, decision);
								}
							}
							default -> {
							}
						}
					}
					return null;
				});
				long there = all.stream().mapToLong((states) -> weight((LocalDecider) states)).sum();
				assertThat(store.memory().used()).isEqualTo(there).isLessThanOrEqualTo(50_000);
				assertThat(all.stream().mapToLong((states) -> ((LocalDecider) states).keys.bytes()).sum())
					.isEqualTo(there);
			}
		});
	}

	private static long weight(LocalDecider states) {
		return states.keys.map()
			.entrySet()
			.stream()
			.mapToLong((entry) -> states.keys.bytesOf(entry.getKey(), entry.getValue()))
			.sum();
	}

	@Test
	void aFloodOfOnePolicyPushesOutNoKeysOfOneThatTakesLess() {
		RateLimit limit = RateLimit.of(TOKEN_BUCKET, 5, HOUR);
		PolicyDecider quiet = open(this.store, "quiet", limit);
		PolicyDecider flooded = open(this.store, "flooded", limit);
		PolicyDecider alsoFlooded = open(this.store, "also flooded", RateLimit.of(SLIDING_WINDOW_LOG, 10_000, HOUR));
		IntStream.range(0, 1000).forEach((i) -> quiet.decide("key" + i, 5));
		for (int i = 0; i < 50_000; i++) {
			flooded.decide("key" + i, 1);
			alsoFlooded.decide("key" + i % 300, 1 + i % 100);
		}
		assertThat(IntStream.range(0, 1000)).allMatch((i) -> !quiet.decide("key" + i, 1).allowed());
		assertThat(quiet.evictions()).isZero();
		assertThat(flooded.evictions()).isPositive();
		assertThat(alsoFlooded.evictions()).isPositive();
		assertThat(((LocalDecider) flooded).keys.bytes()).isCloseTo(((LocalDecider) alsoFlooded).keys.bytes(),
				Percentage.withPercentage(30));
	}

	@Test
	void aFloodOfNewKeysDoesNotForgiveThoseWhoCameMoreThanOnce() {
		PolicyDecider states = open(this.store, "policy", RateLimit.of(TOKEN_BUCKET, 5, HOUR));
		for (int i = 0; i < 10_000; i++) {
			states.decide("key" + i, 1);
			states.decide("regular" + i % 500, 1);
		}
		IntStream.range(10_000, 30_000).forEach((i) -> states.decide("key" + i, 1));
		assertThat(IntStream.range(0, 500).filter((i) -> states.decide("regular" + i, 1).allowed())).isEmpty();
	}

	@Test
	void keysThatWereAsGoodAsNewAreNotCountedAsEvicted() {
		try (LocalRateLimitStore store = store(10_000)) {
			PolicyDecider states = open(store, "policy", RateLimit.of(TOKEN_BUCKET, 5, HOUR));
			for (int i = 0; i < 1000; i++) {
				states.decide("key" + i, 1);
				this.clock.advance(HOUR);
			}
			assertThat(states.evictions()).isZero();
		}
	}

	@Test
	void aFloodOfNewKeysDoesNotForgiveAClientThatKeepsAsking() {
		PolicyDecider states = open(this.store, "policy", RateLimit.of(TOKEN_BUCKET, 5, HOUR));
		states.decide("attacker", 5);
		for (int i = 0; i < 50_000; i++) {
			states.decide("key" + i, 1);
			if (i % 100 == 0) {
				assertThat(states.decide("attacker", 1).allowed()).isFalse();
			}
		}
		assertThat(states.evictions()).isPositive();
	}

	@Test
	void aPolicyOfWhichASingleKeyDoesNotFitIsRejected() {
		RateLimit log = RateLimit.of(SLIDING_WINDOW_LOG, 70_000, HOUR);
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> open(this.store, "login", RateLimit.of(TOKEN_BUCKET, 80_000, HOUR), log))
			.withMessage("limit = 70000 would make a single key of the policy 'login' take up to 1120856 bytes, more "
					+ "than the 1048576 bytes of ratelimit.caffeine.maximum-memory that all keys have together")
			.satisfies((ex) -> assertThat(ex.action()).contains("sliding-window-counter",
					"raise ratelimit.caffeine.maximum-memory"));
		open(this.store, "login", RateLimit.of(SLIDING_WINDOW_LOG, 65_000, HOUR));
		try (LocalRateLimitStore store = store(500)) {
			assertThatExceptionOfType(InvalidRateLimitException.class)
				.isThrownBy(() -> open(store, "login", RateLimit.of(TOKEN_BUCKET, 5, HOUR)))
				.satisfies((ex) -> assertThat(ex.action()).startsWith("Raise ratelimit.caffeine.maximum-memory"));
		}
	}

	private LocalRateLimitStore store(long maximumMemory) {
		return new LocalRateLimitStore(this.clock, 1_000_000, maximumMemory);
	}

	private static PolicyDecider open(LocalRateLimitStore store, String policy, RateLimit... limits) {
		return store.open(RateLimitPolicy.of(policy, limits));
	}

}
