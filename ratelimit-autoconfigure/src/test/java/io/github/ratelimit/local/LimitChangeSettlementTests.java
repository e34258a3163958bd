package io.github.ratelimit.local;

import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.Test;

import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What was decided before the limits changed is settled and refunded in the state that is
 * there.
 */
class LimitChangeSettlementTests extends OneChangedPolicy {

	@Test
	void permitsAreRefundedToTheStateThatIsThere() {
		PolicyDecider free = this.store.open(fixed(60));
		PolicyDecider pro = free.under(fixed(6000));
		RateLimitDecision given = free.decide("key", 10);
		pro.decide("key", 5);
		free.settle("key", 10, 2, given);
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5993);
		free.settle("key", 2, 4, given);
		assertThat(free.decide("key", 0).remaining()).isEqualTo(51);
		RateLimitDecision more = pro.decide("key", 1);
		free.refund("key", 1, more);
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5991);
	}

	@Test
	void aDebtIsMadeInTheStateThatIsThere() {
		RateLimitPolicy charged = RateLimitPolicy.builder("api")
			.charge("status")
			.limit(RateLimit.of(TOKEN_BUCKET, 60, MINUTE))
			.build();
		PolicyDecider free = this.store.open(charged);
		PolicyDecider log = free.under(charged
			.withLimits(List.of(RateLimit.of(TOKEN_BUCKET, 60, MINUTE), RateLimit.of(SLIDING_WINDOW_LOG, 20, MINUTE))));
		RateLimitDecision given = free.decide("key", 1);
		log.decide("key", 1);
		free.settle("key", 1, 11, given);
		assertThat(log.decide("key", 0).remaining()).isEqualTo(9);
		assertThat(free.decide("key", 0).remaining()).isEqualTo(48);
	}

	@Test
	void aBucketIsNotGivenWhatAnotherRateHasGiven() {
		PolicyDecider free = this.store.open(bucket(60));
		PolicyDecider pro = free.under(bucket(6000));
		RateLimitDecision given = free.decide("key", 10);
		pro.decide("key", 5);
		free.refund("key", 10, given);
		assertThat(pro.decide("key", 0).remaining()).isEqualTo(5985);
	}

}
