package io.github.ratelimit.algorithm;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

class KeyStateTests {

	private static final int STEPS = 40;

	@Test
	void stateDecidesAsItsAlgorithmDoes() {
		RandomCases.check(300, (random) -> {
			List<RateLimit> limits = RandomLimits.policy(random, 1, 61).limits();
			Algorithm algorithm = Algorithm.of(limits, Tick.NANOSECOND);
			long now = random.nextLong(1L << 60);
			KeyState state = new KeyState(algorithm, now);
			OneKey key = new OneKey(algorithm, now);
			RateLimitDecision last = state.decide(now, 0);
			for (int step = 0; step < STEPS; step++) {
				now += RandomLimits.pause(random, last, limits.get(0));
				long permits = Math.min(RandomLimits.permits(random, last, algorithm.capacity()), algorithm.capacity());
				last = state.decide(now, permits);
				assertThat(Decisions.describe(last)).as("%d permits of %s", permits, limits)
					.isEqualTo(Decisions.describe(key.decide(now, permits)));
				if (last.allowed() && random.nextInt(10) == 0) {
					state.refund(now, permits, last);
					key.refund(now, permits, last);
				}
				assertThat(state.isIdle(now)).isEqualTo(key.isIdle(now));
			}
		});
	}

	@Test
	void requestThatCanNeverPassIsNotCounted() {
		RateLimit limit = TestPolicies.countingRejected(4, Duration.ofMinutes(1));
		RateLimit smaller = RateLimit.of(TOKEN_BUCKET, 2, Duration.ofMinutes(1));
		KeyState state = new KeyState(Algorithm.of(List.of(limit, smaller), Tick.NANOSECOND), 0);
		assertThat(state.decide(0, 2).allowed()).isTrue();
		assertThat(state.decide(0, 3).allowed()).isFalse();
		assertThat(state.decide(0, 0).limits()).extracting(LimitStatus::remaining).containsExactly(2L, 0L);
	}

	@Test
	void requestOfBeforeTheStateGivesItNothingBack() {
		Algorithm algorithm = Algorithm.of(RateLimit.of(TOKEN_BUCKET, 3, Duration.ofMinutes(1)), Tick.NANOSECOND);
		RateLimitDecision given = new KeyState(algorithm, 0).decide(0, 2);
		KeyState younger = new KeyState(algorithm, 1);
		younger.decide(1, 3);
		younger.refund(2, 2, given);
		assertThat(younger.decide(2, 0).remaining()).isZero();
	}

	@Test
	void limitKeepsItsStateWhileTheLogBesideItGrows() {
		RateLimit bucket = RateLimit.of(TOKEN_BUCKET, 10, Duration.ofMinutes(1));
		RateLimit log = RateLimit.of(SLIDING_WINDOW_LOG, 20, Duration.ofMinutes(1));
		KeyState state = new KeyState(Algorithm.of(List.of(bucket, log, bucket), Tick.NANOSECOND), 0);
		state.decide(0, 3);
		state.decide(0, 4);
		assertThat(state.decide(0, 0).limits()).extracting(LimitStatus::remaining).containsExactly(3L, 13L, 3L);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SLIDING_WINDOW_LOG")
	void stateOfAllButTheLogNeverGrows(RateLimitAlgorithm algorithm) {
		Algorithm subject = Algorithm.of(RoomyLimits.of(algorithm, 5, Duration.ofMinutes(1)), Tick.NANOSECOND);
		assertThat(subject.grows()).isFalse();
		assertThat(subject.largestSize()).isEqualTo(subject.create(0).length);
	}

	@ParameterizedTest
	@EnumSource
	void rejectionsAreRecordedOnlyWhereTheyCount(RateLimitAlgorithm algorithm) {
		RateLimit limit = RoomyLimits.of(algorithm, 5, Duration.ofMinutes(1));
		assertThat(Algorithm.of(limit, Tick.NANOSECOND).countsRejected()).isFalse();
	}

}
