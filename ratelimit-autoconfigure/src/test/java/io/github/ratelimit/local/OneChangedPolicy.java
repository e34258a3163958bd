package io.github.ratelimit.local;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;

/**
 * Tests of one policy that decides on the same keys under several limits in the local
 * store.
 */
abstract class OneChangedPolicy {

	static final Duration MINUTE = Duration.ofMinutes(1);

	final ManualClock clock = ManualClock.atMidnight();

	final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100);

	@AfterEach
	void close() {
		this.store.close();
	}

	static RateLimitPolicy policy(RateLimit... limits) {
		return RateLimitPolicy.of("api", limits);
	}

	static RateLimitPolicy fixed(long limit) {
		return policy(RateLimit.of(FIXED_WINDOW_COUNTER, limit, MINUTE));
	}

	static RateLimitPolicy bucket(long limit) {
		return policy(RateLimit.of(TOKEN_BUCKET, limit, MINUTE));
	}

}
