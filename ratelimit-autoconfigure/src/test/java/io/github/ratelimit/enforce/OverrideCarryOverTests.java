package io.github.ratelimit.enforce;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.LimitStanding;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What a key has taken, when an override begins and ends. Of a store whose keys begin
 * anew when their limits change, nothing is to be seen here.
 */
class OverrideCarryOverTests {

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 1000);

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of(),
			PlanSettings.of(null, this.clock), 10);

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void windowHasWhatIsLeftOfTheHigherLimit() {
		StoreRateLimiter limiter = register(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 60);
		this.clock.advance(Duration.ofSeconds(10));
		limiter.decide("k", 50);
		this.clock.advance(Duration.ofSeconds(10));
		override(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 6000);
		assertThat(limiter.peek("k").remaining()).isEqualTo(5950);
	}

	@Test
	void windowThatHasMoreThanTheLowerLimitIsFullUntilItEnds() {
		StoreRateLimiter limiter = register(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 6000);
		this.clock.advance(Duration.ofSeconds(10));
		limiter.decide("k", 500);
		this.clock.advance(Duration.ofSeconds(10));
		override(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 60);
		assertThat(limiter.decide("k", 1).allowed()).isFalse();
		this.clock.advance(Duration.ofSeconds(40));
		assertThat(limiter.peek("k").remaining()).isEqualTo(60);
	}

	@Test
	void bucketHasWhatIsLeftOfTheHigherLimitAndFillsAtItsRate() {
		StoreRateLimiter limiter = register(RateLimitAlgorithm.TOKEN_BUCKET, 60);
		limiter.decide("k", 50);
		override(RateLimitAlgorithm.TOKEN_BUCKET, 6000);
		assertThat(limiter.peek("k").remaining()).isEqualTo(5950);
		assertThat(limiter.decide("k", 1).remaining()).isEqualTo(5949);
		this.clock.advance(Duration.ofMillis(510));
		assertThat(limiter.peek("k").remaining()).isEqualTo(6000);
	}

	@Test
	void bucketThatHasLessThanTheLowerLimitIsEmptyAndFillsAtItsRate() {
		StoreRateLimiter limiter = register(RateLimitAlgorithm.TOKEN_BUCKET, 6000);
		limiter.decide("k", 500);
		override(RateLimitAlgorithm.TOKEN_BUCKET, 60);
		assertThat(limiter.decide("k", 1).retryAfter()).isEqualTo(Duration.ofSeconds(1));
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(limiter.decide("k", 1).allowed()).isTrue();
	}

	@Test
	void anotherAlgorithmBeginsAnew() {
		StoreRateLimiter limiter = register(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 5);
		limiter.decide("k", 5);
		override(RateLimitAlgorithm.TOKEN_BUCKET, 10);
		assertThat(limiter.peek("k").remaining()).isEqualTo(10);
	}

	@Test
	void whatIsRefundedAndSettledByHandIsThatOfTheLimitsThatTheKeyHasThen() {
		StoreRateLimiter limiter = register(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 100);
		override(limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 50), limit(RateLimitAlgorithm.TOKEN_BUCKET, 40));
		RateLimitDecision given = limiter.decide("k", 10);
		override(limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 60), limit(RateLimitAlgorithm.TOKEN_BUCKET, 50),
				limit(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 90));
		limiter.decide("k", 1);
		limiter.refund("k", 4, given);
		assertThat(remaining(limiter)).containsExactly(53L, 43L, 90L);
		limiter.settle("k", 6, 1, given);
		assertThat(remaining(limiter)).containsExactly(58L, 48L, 90L);
	}

	private static List<Long> remaining(StoreRateLimiter limiter) {
		return limiter.peek("k").limits().stream().map(LimitStanding::remaining).toList();
	}

	@Test
	void whatWasTakenUnderTheOverrideIsTakenWhenItHasEnded() {
		StoreRateLimiter limiter = register(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 100);
		this.registry.overrides()
			.put(RateLimitOverride.of("api")
				.limit(limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10))
				.duration(Duration.ofSeconds(30))
				.build());
		limiter.decide("k", 7);
		this.clock.advance(Duration.ofSeconds(30));
		assertThat(limiter.peek("k").remaining()).isEqualTo(93);
	}

	private StoreRateLimiter register(RateLimitAlgorithm algorithm, long limit) {
		RateLimitPolicy policy = RateLimitPolicy.of("api", limit(algorithm, limit));
		StoreRateLimiter limiter = this.registry.register(policy);
		RateLimitPolicy other = policy.withLimits(List.of(limit(algorithm, limit + 1)));
		assumeTrue(limiter.versions.defined.states.under(other) != null, "The store carries over what was taken");
		return limiter;
	}

	private void override(RateLimit... limits) {
		this.registry.overrides().put(RateLimitOverride.of("api").limits(List.of(limits)).build());
	}

	private void override(RateLimitAlgorithm algorithm, long limit) {
		this.registry.overrides().put(RateLimitOverride.of("api").limit(limit(algorithm, limit)).build());
	}

	private static RateLimit limit(RateLimitAlgorithm algorithm, long limit) {
		return RateLimit.of(algorithm, limit, Duration.ofMinutes(1));
	}

}
