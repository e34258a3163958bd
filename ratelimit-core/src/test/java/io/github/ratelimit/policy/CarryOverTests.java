package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.LimitStanding;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The worked examples of plans and of overrides: what a key has taken stays taken when
 * its numbers change, whichever of the two changes them.
 */
@ParameterizedClass
@ValueSource(booleans = { true, false })
class CarryOverTests extends LocalPolicies {

	@Parameter
	private boolean byPlan;

	private String plan = "";

	private final StoreRateLimiterRegistry registry = planned((policy, key) -> this.plan);

	private StoreRateLimiter limiter;

	private RateLimit other;

	private static RateLimit limit(RateLimitAlgorithm algorithm, long limit) {
		return RateLimit.of(algorithm, limit, Duration.ofMinutes(1));
	}

	private void register(RateLimit own, RateLimit other) {
		this.other = other;
		this.limiter = this.registry
			.register(RateLimitPolicy.builder("api").limit(own).plans(Map.of("pro", RateLimitPlan.of(other))).build());
	}

	private void register(RateLimitAlgorithm algorithm, long own, long other) {
		register(limit(algorithm, own), limit(algorithm, other));
	}

	private void change() {
		if (this.byPlan) {
			this.plan = "pro";
			this.limiter.forgetPlan("k");
		}
		else {
			override(this.other);
		}
	}

	private void changeBack() {
		this.plan = "";
		this.limiter.forgetPlan("k");
		this.registry.overrides().remove(new RateLimitOverride.Target("api", null, null));
	}

	private void override(RateLimit... limits) {
		this.registry.overrides().put(RateLimitOverride.of("api").limits(List.of(limits)).build());
	}

	private List<Long> remaining() {
		return this.limiter.peek("k").limits().stream().map(LimitStanding::remaining).toList();
	}

	@Test
	void windowHasWhatIsLeftOfTheHigherLimit() {
		register(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 60, 6000);
		this.clock.advance(Duration.ofSeconds(10));
		this.limiter.decide("k", 50);
		this.clock.advance(Duration.ofSeconds(10));
		change();
		assertThat(remaining()).containsExactly(5950L);
		this.limiter.decide("k", 3);
		changeBack();
		assertThat(remaining()).containsExactly(7L);
	}

	@Test
	void windowThatHasMoreThanTheLowerLimitIsFullUntilItEnds() {
		register(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 6000, 60);
		this.clock.advance(Duration.ofSeconds(10));
		this.limiter.decide("k", 500);
		this.clock.advance(Duration.ofSeconds(10));
		change();
		assertThat(this.limiter.decide("k", 1).allowed()).isFalse();
		this.clock.advance(Duration.ofSeconds(40));
		assertThat(remaining()).containsExactly(60L);
	}

	@Test
	void bucketHasWhatIsLeftOfTheHigherLimitAndFillsAtItsRate() {
		register(RateLimitAlgorithm.TOKEN_BUCKET, 60, 6000);
		this.limiter.decide("k", 50);
		change();
		assertThat(remaining()).containsExactly(5950L);
		this.limiter.decide("k", 1);
		this.clock.advance(Duration.ofMillis(509));
		assertThat(remaining()).containsExactly(5999L);
		this.clock.advance(Duration.ofMillis(1));
		assertThat(remaining()).containsExactly(6000L);
	}

	@Test
	void bucketThatHasLessThanTheLowerLimitIsEmptyAndNotInDebt() {
		register(RateLimitAlgorithm.TOKEN_BUCKET, 6000, 60);
		this.limiter.decide("k", 500);
		change();
		assertThat(this.limiter.decide("k", 1)).returns(false, RateLimitDecision::allowed)
			.returns(Duration.ofSeconds(1), RateLimitDecision::retryAfter);
		this.clock.advance(Duration.ofMillis(999));
		assertThat(this.limiter.decide("k", 1).allowed()).isFalse();
		this.clock.advance(Duration.ofMillis(1));
		assertThat(this.limiter.decide("k", 1).allowed()).isTrue();
	}

	@Test
	void anotherAlgorithmBeginsAnew() {
		register(limit(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 5), limit(RateLimitAlgorithm.TOKEN_BUCKET, 10));
		this.limiter.decide("k", 5);
		change();
		assertThat(remaining()).containsExactly(10L);
	}

	@Test
	void whatWasGivenBeforeCanBeRefundedAndTheKeyIsCountedAndResetOnce() {
		register(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 60, 6000);
		RateLimitDecision given = this.limiter.decide("k", 10);
		this.limiter.decide("k", 20);
		change();
		this.limiter.refund("k", 10, given);
		assertThat(remaining()).containsExactly(5980L);
		assertThat(this.limiter.keys()).isOne();
		this.limiter.reset("k");
		assertThat(remaining()).containsExactly(6000L);
	}

	@Test
	void whatIsRefundedAndSettledByHandIsThatOfTheLimitsThatTheKeyHasThen() {
		register(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 100, 100);
		override(limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 50), limit(RateLimitAlgorithm.TOKEN_BUCKET, 40));
		RateLimitDecision given = this.limiter.decide("k", 10);
		override(limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 60), limit(RateLimitAlgorithm.TOKEN_BUCKET, 50),
				limit(RateLimitAlgorithm.TOKEN_BUCKET, 90));
		this.limiter.decide("k", 1);
		this.limiter.refund("k", 4, given);
		assertThat(remaining()).containsExactly(53L, 43L, 90L);
		this.limiter.settle("k", 6, 1, given);
		assertThat(remaining()).containsExactly(58L, 48L, 90L);
	}

}
