package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitStanding;
import io.github.ratelimit.store.RateLimitReceipt;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The limiter of an application whose rate limits are turned off.
 */
class UnlimitedTests {

	private final ManualClock clock = ManualClock.atMidnight();

	private final StoreRateLimiterRegistry limiter = StoreRateLimiterRegistry.unlimited(this.clock);

	@Test
	void everyRequestPassesAtOnceAndNothingIsUsedUp() {
		for (long permits : List.of(1L, Long.MAX_VALUE, 1L)) {
			RateLimitDecision decision = this.limiter.decide("anything", "anyone", permits);
			assertThat(decision.allowed()).isTrue();
			assertThat(decision.remaining()).isEqualTo(Long.MAX_VALUE);
			assertThat(decision.delay()).isZero();
			assertThat(decision.resetAfter()).isZero();
			assertThat(decision.fallback()).isFalse();
			assertThat(RateLimitReceipt.of(decision).decidedAtNanos(0)).isEqualTo(this.clock.nanos());
		}
	}

	@Test
	void keyHasAllOfItsPermits() {
		RateLimitStanding standing = this.limiter.peek("anything", "anyone");
		assertThat(standing.remaining()).isEqualTo(Long.MAX_VALUE);
		assertThat(standing.resetAfter()).isZero();
		assertThat(standing.fallback()).isFalse();
	}

	@Test
	void requestThatCostsLessThanNothingIsAMistakeAsEver() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.limiter.decide("anything", "anyone", -1));
		assertThatIllegalArgumentException().isThrownBy(() -> this.limiter.decide("anything", "anyone", 0));
	}

	@Test
	void everyPolicyIsKnownAndNoneIsKept() {
		assertThat(this.limiter.policy("one").policy().name()).isEqualTo("one");
		assertThat(this.limiter.find("two")).isNotNull();
		assertThat(this.limiter.policies()).isEmpty();
	}

	@Test
	void nameThatNoPolicyCanHaveIsUnknown() {
		assertThat(this.limiter.find("größe")).isNull();
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.limiter.decide("größe", "anyone"));
	}

	@Test
	void policyThatCodeAddsIsKeptAndAllowsAll() {
		StoreRateLimiter added = this.limiter.register(once());
		assertThat(this.limiter.policy("once")).isSameAs(added);
		assertThat(this.limiter.policies()).containsExactly(added);
		for (int i = 0; i < 3; i++) {
			assertThat(added.decide("anyone", 1).allowed()).isTrue();
		}
		assertThatIllegalStateException().isThrownBy(() -> this.limiter.register(once()));
	}

	private static RateLimitPolicy once() {
		return RateLimitPolicy.of("once", RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofDays(1)));
	}

}
