package io.github.ratelimit.autoconfigure;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;

import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;

/**
 * Loads Caffeine, which the first policy would otherwise wait for.
 */
class LocalStoreBackgroundPreinitializer implements BackgroundPreinitializer {

	@Override
	public void preinitialize() {
		RateLimit limit = RateLimit.builder(RateLimitAlgorithm.TOKEN_BUCKET)
			.limit(1)
			.window(Duration.ofSeconds(1))
			.build();
		try (LocalRateLimitStore store = new LocalRateLimitStore(RateLimitClock.system(), 1)) {
			store.open(RateLimitPolicy.of("preinitialization", limit));
		}
	}

}
