package io.github.ratelimit.algorithm;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;

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

}
