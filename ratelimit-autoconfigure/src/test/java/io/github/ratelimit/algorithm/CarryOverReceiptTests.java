package io.github.ratelimit.algorithm;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.store.RateLimitReceipt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What was given before a key's limits change, and is refunded afterwards.
 */
class CarryOverReceiptTests {

	/* A window of each length begins. */
	private static final long NOW = 1_772_668_800_000_000_000L;

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration HOUR = Duration.ofHours(1);

	@ParameterizedTest
	@EnumSource
	void whatAnotherAlgorithmGaveIsNoneOfThisOnes(RateLimitAlgorithm other) {
		for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
			if (algorithm != other) {
				assertThatNothingIsRefunded(of(RoomyLimits.of(other, 50, HOUR)),
						of(RoomyLimits.of(algorithm, 50, HOUR)));
			}
		}
		if (other != SLIDING_WINDOW_COUNTER) {
			assertThatNothingIsRefunded(of(RoomyLimits.of(other, 50, HOUR)), large());
			assertThatNothingIsRefunded(large(), of(RoomyLimits.of(other, 50, HOUR)));
		}
	}

	private static void assertThatNothingIsRefunded(Algorithm before, Algorithm after) {
		Change change = new Change(before, NOW, 4);
		long[] state = taken(after, change.to(after, NOW), NOW, 7);
		change.refund(after, state, NOW);
		assertThat(remaining(after, state, NOW)).isEqualTo(after.capacity() - 7);
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 1 })
	void whatAWindowStillCountsIsRefundedAlsoInTheInstantOfTheChange(long seconds) {
		for (RateLimitAlgorithm algorithm : List.of(FIXED_WINDOW_COUNTER, SLIDING_WINDOW_COUNTER, SLIDING_WINDOW_LOG)) {
			assertThatAllIsRefunded(of(RateLimit.of(algorithm, 10, HOUR)), of(RateLimit.of(algorithm, 100, HOUR)),
					seconds);
		}
		assertThatAllIsRefunded(of(RateLimit.of(SLIDING_WINDOW_COUNTER, 10, HOUR)), large(), seconds);
		assertThatAllIsRefunded(large(), of(RateLimit.of(SLIDING_WINDOW_COUNTER, 10, HOUR)), seconds);
	}

	private static void assertThatAllIsRefunded(Algorithm before, Algorithm after, long seconds) {
		long now = NOW + seconds * SECOND;
		Change change = new Change(before, NOW, 4);
		long[] state = change.to(after, now);
		assertThat(remaining(after, state, now)).isEqualTo(after.capacity() - 4);
		change.refund(after, state, now);
		assertThat(remaining(after, state, now)).isEqualTo(after.capacity());
	}

	@Test
	void whatCountsFromTheChangeOnIsNotRefundedEvenInItsInstant() {
		for (RateLimitAlgorithm algorithm : List.of(FIXED_WINDOW_COUNTER, SLIDING_WINDOW_COUNTER)) {
			Algorithm hour = of(RateLimit.of(algorithm, 10, HOUR));
			Change change = new Change(of(RateLimit.of(algorithm, 10, MINUTE)), NOW, 4);
			long[] state = change.to(hour, NOW);
			change.refund(hour, state, NOW);
			assertThat(remaining(hour, state, NOW)).as("%s", algorithm).isEqualTo(6);
		}
	}

	@Test
	void ofMoreThanTheLimitCanCountNothingIsRefundedEvenInTheInstantOfTheChange() {
		Algorithm low = of(RateLimit.of(SLIDING_WINDOW_COUNTER, 5, HOUR));
		Change change = new Change(of(RateLimit.of(SLIDING_WINDOW_COUNTER, 10, HOUR)), NOW, 6);
		long[] state = change.to(low, NOW);
		change.refund(low, state, NOW);
		assertThat(remaining(low, state, NOW)).isZero();
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 3600 })
	void whatTheLimitCanJustCountIsRefundedFromEitherWindow(long seconds) {
		Algorithm low = of(RateLimit.of(SLIDING_WINDOW_COUNTER, 5, HOUR));
		Change change = new Change(of(RateLimit.of(SLIDING_WINDOW_COUNTER, 10, HOUR)), NOW, 5);
		long now = NOW + seconds * SECOND;
		long[] state = change.to(low, now);
		assertThat(remaining(low, state, now)).isZero();
		change.refund(low, state, now);
		assertThat(remaining(low, state, now)).isEqualTo(5);
	}

	@Test
	void aBucketOfTheSameRateRefundsWhatWasTakenBehindOthers() {
		Algorithm low = of(bucket(10));
		Algorithm high = of(bucket(60));
		Change change = new Change(low, taken(low, low.create(NOW), NOW, 4), NOW, 3);
		long[] state = change.to(high, NOW + SECOND);
		change.refund(high, state, NOW + 2 * SECOND);
		assertThat(remaining(high, state, NOW + 2 * SECOND)).isEqualTo(58);
	}

	@Test
	void aBucketInDebtRefundsUnderTheSameLimits() {
		Algorithm before = Algorithm.of(bucket(10), Tick.NANOSECOND, true);
		Algorithm after = Algorithm.of(bucket(10), Tick.NANOSECOND, true);
		Change change = new Change(before, NOW, 4);
		long now = NOW + SECOND;
		before.charge(change.state, 0, now, 100);
		long[] state = change.to(after, now);
		assertThat(look(after, state, now).resetAfterNanos()).isEqualTo(20 * SECOND);
		change.refund(after, state, now);
		assertThat(look(after, state, now).resetAfterNanos()).isEqualTo(17 * SECOND);
	}

	private static RateLimit bucket(long burst) {
		return RateLimit.builder(TOKEN_BUCKET).limit(60).window(MINUTE).burst(burst).build();
	}

	private static Algorithm large() {
		return of(RateLimit.of(SLIDING_WINDOW_COUNTER, 1L << 31, HOUR));
	}

	private static Algorithm of(RateLimit limit) {
		return Algorithm.of(limit, Tick.NANOSECOND);
	}

	private static long[] taken(Algorithm algorithm, long[] state, long now, long permits) {
		long[] larger = algorithm.enlarged(state, now, permits);
		algorithm.take(larger, 0, now, permits);
		return larger;
	}

	private static long remaining(Algorithm algorithm, long[] state, long now) {
		return look(algorithm, state, now).remaining();
	}

	private static RateLimitDecision look(Algorithm algorithm, long[] state, long now) {
		return algorithm.decision(state, 0, now, 0, true);
	}

	/**
	 * A request that is given permits, and gives them back under other limits.
	 */
	private static final class Change {

		private final Algorithm before;

		private final long permits;

		private final long[] state;

		private final RateLimitReceipt given;

		Change(Algorithm before, long now, long permits) {
			this(before, before.create(now), now, permits);
		}

		Change(Algorithm before, long[] state, long now, long permits) {
			this.before = before;
			this.permits = permits;
			this.state = taken(before, state, now, permits);
			this.given = RateLimitReceipt.of(before.decision(this.state, 0, now, permits, true));
		}

		long[] to(Algorithm after, long now) {
			return after.create(now, this.before, this.state);
		}

		void refund(Algorithm after, long[] state, long now) {
			after.refund(state, 0, now, this.permits, after.receipt(this.before, this.given));
		}

	}

}
