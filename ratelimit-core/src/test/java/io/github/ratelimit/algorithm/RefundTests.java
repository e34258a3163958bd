package io.github.ratelimit.algorithm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Refunding undoes a request, as far as that allows no request that the limit would have
 * kept out.
 */
class RefundTests {

	static Stream<RateLimit> limits() {
		return Stream.concat(
				Stream.of(RateLimitAlgorithm.values()).map((each) -> RoomyLimits.of(each, 3, Duration.ofMinutes(1))),
				Stream.of(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_COUNTER, 1L << 29, Duration.ofMinutes(10))));
	}

	@ParameterizedTest
	@MethodSource("limits")
	void aStateThatIsYoungerThanTheRequestGivesItNothing(RateLimit limit) {
		RateLimitDecision given = new OneKey(limit, Tick.NANOSECOND, 0).decide(0, 1);
		OneKey afterReset = new OneKey(limit, Tick.NANOSECOND, 1);
		afterReset.decide(1, limit.capacity());
		afterReset.refund(2, 1, given);
		assertThat(afterReset.look(2).remaining()).isZero();
	}

	@Test
	void aLogGivesBackOnceWhatIsRefundedTwice() {
		OneKey key = new OneKey(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 5, Duration.ofMinutes(1)),
				Tick.NANOSECOND, 0);
		key.decide(0, 1);
		RateLimitDecision given = key.decide(7, 1);
		key.refund(8, 1, given);
		key.refund(8, 1, given);
		assertThat(key.look(8).remaining()).isEqualTo(4);
	}

	@ParameterizedTest
	@EnumSource
	void onlyTheLastInAQueueGivesItsPlaceBack(Tick resolution) {
		long now = 1_772_668_800_000_000_000L / resolution.nanosPerTick();
		OneKey key = new OneKey(RoomyLimits.of(RateLimitAlgorithm.LEAKY_BUCKET, 5, Duration.ofSeconds(5)), resolution,
				now);
		key.decide(now, 1);
		RateLimitDecision middle = key.decide(now, 1);
		RateLimitDecision last = key.decide(now, 1);
		key.refund(now, 1, middle);
		assertThat(key.look(now).remaining()).isEqualTo(3);
		key.refund(now, 1, last);
		assertThat(key.look(now).remaining()).isEqualTo(4);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LEAKY_BUCKET")
	void atOneMomentTheOrderDoesNotMatter(RateLimitAlgorithm algorithm) {
		RandomCases.check(2000, (random) -> {
			RateLimit limit = RandomLimits.any(random, algorithm);
			long now = 1_772_668_800_000_000_000L + RandomLimits.upTo(random, limit.window().toNanos());
			OneKey key = new OneKey(limit, Tick.NANOSECOND, now - 1);
			OneKey untouched = key.copy();
			List<Given> held = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				if (random.nextInt(3) > 0 || held.isEmpty()) {
					long permits = 1 + RandomLimits.upTo(random, (limit.capacity() - 1) / 4);
					if (permits <= key.look(now).remaining()) {
						held.add(new Given(permits, key.decide(now, permits)));
					}
				}
				else {
					refundAny(random, key, now, held);
				}
			}
			while (!held.isEmpty()) {
				refundAny(random, key, now, held);
			}
			assertThat(Decisions.describe(key.look(now))).isEqualTo(Decisions.describe(untouched.look(now)));
		});
	}

	private static void refundAny(Random random, OneKey key, long now, List<Given> held) {
		Given given = held.remove(random.nextInt(held.size()));
		key.refund(now, given.permits(), given.decision());
	}

	private record Given(long permits, RateLimitDecision decision) {
	}

}
