package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.Arrays;

import io.github.ratelimit.LimitStanding;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitStanding;
import io.github.ratelimit.RateLimiter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class PeekTests extends LocalPolicies {

	private final StoreRateLimiterRegistry registry = registry();

	@ParameterizedTest
	@EnumSource
	void tellsWhatTheLastDecisionLeftAndChangesNothing(RateLimitAlgorithm algorithm) {
		RateLimiter limiter = this.registry
			.register(RateLimitPolicy.of("policy", RateLimit.of(algorithm, 3, Duration.ofMinutes(1))));
		RateLimitDecision decision = limiter.decide("key", 1);
		for (int i = 0; i < 10; i++) {
			RateLimitStanding standing = limiter.peek("key");
			assertThat(standing.remaining()).isEqualTo(decision.remaining());
			assertThat(standing.resetAfter()).isEqualTo(decision.resetAfter()).isPositive();
			assertThat(standing.nextPermitAfter()).isEqualTo(decision.nextPermitAfter()).isPositive();
			assertThat(standing.fallback()).isFalse();
		}
		assertThat(Arrays.stream(RateLimitOutcome.values()).mapToLong(limiter::count).sum()).isEqualTo(1);
	}

	@Test
	void tellsOfEachLimitAndOfAllTogether() {
		this.registry.register(RateLimitPolicy.of("policy",
				RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 2, Duration.ofSeconds(1)),
				RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 5, Duration.ofMinutes(1))));
		this.registry.decide("policy", "key");
		RateLimitStanding standing = this.registry.peek("policy", "key");
		assertThat(standing.remaining()).isEqualTo(1);
		assertThat(standing.limits()).extracting(LimitStanding::remaining).containsExactly(1L, 4L);
		assertThat(standing.limits()).extracting(LimitStanding::resetAfter)
			.containsExactly(Duration.ofSeconds(1), Duration.ofMinutes(1));
	}

	@Test
	void singleLimitStandsAsItsPolicy() {
		this.registry.register(once());
		RateLimitStanding standing = this.registry.peek("once", "key");
		assertThat(standing.limits()).singleElement()
			.returns(standing.remaining(), LimitStanding::remaining)
			.returns(standing.resetAfterNanos(), LimitStanding::resetAfterNanos)
			.returns(standing.nextPermitAfterNanos(), LimitStanding::nextPermitAfterNanos);
	}

	@Test
	void nothingOfTheAnswerSaysThatARequestMayPass() {
		this.registry.register(once());
		assertThat(this.registry.decide("once", "key").allowed()).isTrue();
		RateLimitStanding standing = this.registry.peek("once", "key");
		assertThat(standing.remaining()).isZero();
		assertThat(standing).isNotInstanceOf(RateLimitDecision.class);
		assertThat(standing.toString()).doesNotContain("allowed");
		assertThat(RateLimitStanding.class.getMethods()).extracting("name").doesNotContain("allowed");
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, -1, Long.MIN_VALUE })
	void requestForNoPermitsIsAMistakeThatChangesNothing(long permits) {
		RateLimiter limiter = this.registry.register(once());
		assertThatIllegalArgumentException().isThrownBy(() -> limiter.decide("key", permits))
			.withMessageContaining((permits == 0) ? "peek" : "");
		assertThatIllegalArgumentException().isThrownBy(() -> limiter.decideWithoutDelay("key", permits));
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.decide("once", "key", permits));
		assertThat(limiter.keys()).isZero();
	}

	private static RateLimitPolicy once() {
		return RateLimitPolicy.of("once", RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofDays(1)));
	}

}
