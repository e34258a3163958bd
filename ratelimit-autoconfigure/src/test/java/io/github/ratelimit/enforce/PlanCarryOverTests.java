package io.github.ratelimit.enforce;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The worked examples of plans: what a key has taken stays taken when its plan changes.
 */
class PlanCarryOverTests {

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 1000);

	private final Map<String, String> plans = new ConcurrentHashMap<>();

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of(),
			new PlanSettings((policy, key) -> this.plans.get(key), Duration.ofMinutes(1), Duration.ofSeconds(30), 1000,
					this.clock));

	@BeforeEach
	void storeKeepsWhatWasTaken() {
		RateLimitPolicy policy = RateLimitPolicy.of("any", perMinute(RateLimitAlgorithm.TOKEN_BUCKET, 1));
		assertThat(this.store.open(policy).under(policy)).isNotNull();
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	private static RateLimit perMinute(RateLimitAlgorithm algorithm, long limit) {
		return RateLimit.of(algorithm, limit, Duration.ofMinutes(1));
	}

	private StoreRateLimiter limiter(RateLimit own, RateLimit pro) {
		return this.registry
			.register(RateLimitPolicy.builder("api").limit(own).plans(Map.of("pro", RateLimitPlan.of(pro))).build());
	}

	private StoreRateLimiter limiter(RateLimitAlgorithm algorithm) {
		return limiter(perMinute(algorithm, 60), perMinute(algorithm, 6000));
	}

	private void change(StoreRateLimiter limiter, String plan) {
		this.plans.put("acme", plan);
		limiter.forgetPlan("acme");
	}

	@Test
	void upgradeOfAFixedWindowKeepsWhatWasTaken() {
		StoreRateLimiter limiter = limiter(RateLimitAlgorithm.FIXED_WINDOW_COUNTER);
		this.clock.advance(Duration.ofSeconds(10));
		limiter.decide("acme", 50);
		this.clock.advance(Duration.ofSeconds(10));
		change(limiter, "pro");
		assertThat(limiter.peek("acme").remaining()).isEqualTo(5950);
	}

	@Test
	void downgradeOfAFixedWindowRejectsUntilTheWindowEnds() {
		StoreRateLimiter limiter = limiter(RateLimitAlgorithm.FIXED_WINDOW_COUNTER);
		change(limiter, "pro");
		this.clock.advance(Duration.ofSeconds(10));
		limiter.decide("acme", 500);
		this.clock.advance(Duration.ofSeconds(10));
		change(limiter, "");
		assertThat(limiter.decide("acme", 1).allowed()).isFalse();
		this.clock.advance(Duration.ofSeconds(40));
		assertThat(limiter.peek("acme").remaining()).isEqualTo(60);
	}

	@Test
	void upgradeOfATokenBucketKeepsWhatWasTaken() {
		StoreRateLimiter limiter = limiter(RateLimitAlgorithm.TOKEN_BUCKET);
		limiter.decide("acme", 50);
		change(limiter, "pro");
		assertThat(limiter.peek("acme").remaining()).isEqualTo(5950);
		limiter.decide("acme", 1);
		this.clock.advance(Duration.ofMillis(509));
		assertThat(limiter.peek("acme").remaining()).isEqualTo(5999);
		this.clock.advance(Duration.ofMillis(1));
		assertThat(limiter.peek("acme").remaining()).isEqualTo(6000);
	}

	@Test
	void downgradeOfATokenBucketIsEmptyAndNotInDebt() {
		StoreRateLimiter limiter = limiter(RateLimitAlgorithm.TOKEN_BUCKET);
		change(limiter, "pro");
		limiter.decide("acme", 500);
		change(limiter, "");
		RateLimitDecision rejected = limiter.decide("acme", 1);
		assertThat(rejected.allowed()).isFalse();
		assertThat(rejected.retryAfter()).isEqualTo(Duration.ofSeconds(1));
		this.clock.advance(Duration.ofMillis(999));
		assertThat(limiter.decide("acme", 1).allowed()).isFalse();
		this.clock.advance(Duration.ofMillis(1));
		assertThat(limiter.decide("acme", 1).allowed()).isTrue();
	}

	@Test
	void aPlanOfAnotherAlgorithmBeginsAnew() {
		StoreRateLimiter limiter = limiter(perMinute(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 5),
				perMinute(RateLimitAlgorithm.TOKEN_BUCKET, 10));
		limiter.decide("acme", 5);
		change(limiter, "pro");
		assertThat(limiter.peek("acme").remaining()).isEqualTo(10);
	}

	@Test
	void whatAnotherPlanGaveCanBeRefunded() {
		StoreRateLimiter limiter = limiter(RateLimitAlgorithm.FIXED_WINDOW_COUNTER);
		RateLimitDecision given = limiter.decide("acme", 10);
		limiter.decide("acme", 20);
		change(limiter, "pro");
		limiter.refund("acme", 10, given);
		assertThat(limiter.peek("acme").remaining()).isEqualTo(5980);
	}

	@Test
	void keysOfAllPlansAreCountedOnce() {
		StoreRateLimiter limiter = limiter(RateLimitAlgorithm.TOKEN_BUCKET);
		limiter.decide("acme", 1);
		change(limiter, "pro");
		limiter.decide("acme", 1);
		assertThat(limiter.keys()).isOne();
		limiter.reset("acme");
		assertThat(limiter.peek("acme").remaining()).isEqualTo(6000);
	}

}
