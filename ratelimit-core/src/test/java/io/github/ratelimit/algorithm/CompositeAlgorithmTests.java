package io.github.ratelimit.algorithm;

import java.time.Duration;
import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import org.junit.jupiter.api.Test;

import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link CompositeAlgorithm}: each limit of a policy counts as it would alone.
 */
class CompositeAlgorithmTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final long HALF = MINUTE.toNanos() / 2;

	private static final RateLimit QUEUE = RateLimit.builder(LEAKY_BUCKET)
		.limit(1)
		.window(SECOND)
		.burst(5L)
		.delay(1L)
		.build();

	@Test
	void aRejectionCountsForTheLimitThatRejects() {
		OneKey key = key(counting(2), counting(10), counting(1));
		key.decide(0, 1);
		assertThat(key.decide(HALF, 1).limits()).extracting(LimitStatus::allowed).containsExactly(true, true, false);
		assertThat(key.look(2 * HALF).limits()).extracting(LimitStatus::remaining).containsExactly(2L, 10L, 0L);
		OneKey reversed = key(counting(1), counting(10));
		reversed.decide(0, 1);
		reversed.decide(HALF, 1);
		assertThat(reversed.look(2 * HALF).limits()).extracting(LimitStatus::remaining).containsExactly(0L, 10L);
	}

	@Test
	void aLimitThatAdmitsARejectedRequestDoesNotDelayIt() {
		OneKey key = key(QUEUE, RateLimit.of(TOKEN_BUCKET, 2, MINUTE));
		key.decide(0, 2);
		RateLimitDecision decision = key.decide(0, 1);
		assertThat(decision.limits()).extracting(LimitStatus::allowed).containsExactly(true, false);
		assertThat(decision.limits()).extracting(LimitStatus::delayNanos).containsExactly(0L, 0L);
		assertThat(decision.retryAfterNanos()).isEqualTo(HALF);
	}

	@Test
	void aRequestThatCanNeverPassIsNotCounted() {
		OneKey key = key(counting(4), RateLimit.of(TOKEN_BUCKET, 2, MINUTE));
		assertThat(key.decide(0, 2).allowed()).isTrue();
		assertThat(key.decide(0, 3).allowed()).isFalse();
		assertThat(key.look(0).limits()).extracting(LimitStatus::remaining).containsExactly(2L, 0L);
	}

	private static OneKey key(RateLimit... limits) {
		return new OneKey(Algorithm.of(RateLimitPolicy.of("policy", limits), Tick.NANOSECOND), 0);
	}

	private static RateLimit counting(long limit) {
		return TestPolicies.countingRejected(limit, MINUTE);
	}

}
