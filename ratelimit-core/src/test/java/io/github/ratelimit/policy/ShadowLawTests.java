package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * On any requests, shadow decides as enforcement with its numbers would have: alone, and
 * beside limits that are enforced.
 */
class ShadowLawTests {

	private static final int TRACES = 60;

	private static final int REQUESTS = 80;

	@ParameterizedTest
	@EnumSource
	void shadowRejectsWhatEnforcementWouldReject(RateLimitAlgorithm algorithm) {
		LongAdder rejected = new LongAdder();
		RandomCases.check(TRACES, (random) -> rejected.add(check(random, algorithm)));
		assertThat(rejected.sum()).isPositive();
	}

	private static long check(Random random, RateLimitAlgorithm algorithm) {
		ManualClock clock = ManualClock.atMidnight();
		try (LocalRateLimitStore store = new LocalRateLimitStore(clock, 100)) {
			StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(store, List.of());
			List<RateLimit> tried = random.nextBoolean() ? List.of(limit(random, algorithm))
					: List.of(limit(random, algorithm), limit(random, RateLimitAlgorithm.TOKEN_BUCKET));
			RateLimitBan ban = random.nextBoolean() ? ban(tried.get(0)) : null;
			StoreRateLimiter enforced = registry
				.register(RateLimitPolicy.builder("enforced").limits(tried).ban(ban).build());
			StoreRateLimiter shadow = registry
				.register(RateLimitPolicy.builder("shadow").limits(tried).ban(ban).mode(RateLimitMode.SHADOW).build());
			RateLimit other = limit(random, RateLimitAlgorithm.values()[random.nextInt(5)]);
			StoreRateLimiter both = registry
				.register(RateLimitPolicy.builder("both").limit(other).ban(ban).shadowLimits(tried).build());
			RateLimitDecision last = enforced.decide("one", 1);
			pass(clock, shadow, both, "one", 1);
			for (int i = 0; i < REQUESTS; i++) {
				clock.advanceNanos(RandomLimits.pause(random, last, tried.get(0)));
				String key = random.nextBoolean() ? "one" : "other";
				long permits = Math.max(1, RandomLimits.permits(random, last, enforced.policy().capacity()));
				last = enforced.decide(key, permits);
				pass(clock, shadow, both, key, permits);
			}
			assertThat(counts(shadow.shadow())).as("%s", tried).isEqualTo(counts(enforced));
			assertThat(counts(both.shadow())).as("%s", tried).isEqualTo(counts(enforced));
			return enforced.count(RateLimitOutcome.REJECTED);
		}
	}

	private static RateLimit limit(Random random, RateLimitAlgorithm algorithm) {
		return RandomLimits.exact(random, algorithm, 1, 62);
	}

	private static RateLimitBan ban(RateLimit limit) {
		Duration some = Duration.ofSeconds(Math.max(1, Math.min(3600, limit.window().toSeconds())));
		return new RateLimitBan(2, some.multipliedBy(2), some, 2, Duration.ofDays(1));
	}

	/*
	 * What the enforced limits reject is seen in shadow too.
	 */
	private static void pass(ManualClock clock, StoreRateLimiter shadow, StoreRateLimiter both, String key,
			long permits) {
		Acquisition request = new Acquisition(new WaitingRoom(clock, 9));
		assertThat(request.take(List.of(PermitRequest.of(shadow, key, permits)))).isTrue();
		request.take(List.of(PermitRequest.of(both, key, permits)));
		assertThat(request.entries()).hasSize(1);
	}

	private static List<Long> counts(RateLimiter limiter) {
		return Arrays.stream(RateLimitOutcome.values()).map(limiter::count).toList();
	}

	private static List<Long> counts(RateLimitShadow shadow) {
		return Arrays.stream(RateLimitOutcome.values()).map(shadow::count).toList();
	}

}
