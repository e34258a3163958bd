package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A request that was decided before the limits changed is settled, or refunded, after
 * others were decided under the new ones.
 */
class EarlierVersionTests extends OneVirtualServer {

	private static RateLimit limit(RateLimitAlgorithm algorithm, long capacity) {
		return TestPolicies.withoutDelay(algorithm, capacity, Duration.ofHours(24));
	}

	private static RateLimitPolicy policy(RateLimit... limits) {
		return RateLimitPolicy.builder("policy").charge("status >= 400").limits(List.of(limits)).build();
	}

	static Stream<RateLimitAlgorithm[]> otherAlgorithms() {
		return ChangedLimitsTests.otherAlgorithms();
	}

	@ParameterizedTest
	@MethodSource("otherAlgorithms")
	void doesNotUndoWhatAnotherAlgorithmHasCounted(RateLimitAlgorithm before, RateLimitAlgorithm after) {
		PolicyDecider earlier = server.open(policy(limit(before, 10)));
		RateLimitDecision given = earlier.decide("key", 4);
		server.clock().advanceNanos(1000);
		PolicyDecider present = earlier.under(policy(limit(after, 20)));
		present.decide("key", 15);
		earlier.refund("key", 4, given);
		assertThat(present.decide("key", 0).remaining()).as("refunded").isEqualTo(5);
		earlier.settle("key", 4, 6, given);
		assertThat(present.decide("key", 0).remaining()).as("settled").isEqualTo(5);
	}

	@Test
	void doesNotUndoWhatALimitHasCountedThatWasAdded() {
		for (RateLimitAlgorithm added : RateLimitAlgorithm.values()) {
			beginADay();
			PolicyDecider earlier = server.open(policy(limit(TOKEN_BUCKET, 100)));
			RateLimitDecision given = earlier.decide("key", 4);
			server.clock().advanceNanos(1000);
			PolicyDecider present = earlier.under(policy(limit(TOKEN_BUCKET, 100), limit(added, 20)));
			present.decide("key", 15);
			earlier.refund("key", 4, given);
			earlier.settle("key", 4, 6, given);
			assertThat(present.decide("key", 0).limits()).as("%s", added)
				.extracting(LimitStatus::remaining)
				.element(1)
				.isEqualTo(5L);
		}
	}

	@Test
	void isRefundedWhereALimitWasRemoved() {
		PolicyDecider earlier = server.open(policy(limit(FIXED_WINDOW_COUNTER, 20), limit(SLIDING_WINDOW_LOG, 20)));
		RateLimitDecision given = earlier.decide("key", 4);
		PolicyDecider present = earlier.under(policy(limit(FIXED_WINDOW_COUNTER, 20)));
		present.decide("key", 5);
		earlier.refund("key", 4, given);
		assertThat(present.decide("key", 0).remaining()).isEqualTo(15);
	}

}
