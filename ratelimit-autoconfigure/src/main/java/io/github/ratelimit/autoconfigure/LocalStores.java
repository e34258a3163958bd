package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.local.LocalRateLimitStore;

/**
 * Creates stores in this process.
 */
final class LocalStores {

	private LocalStores() {
	}

	static LocalRateLimitStore create(RateLimitClock clock, RateLimitProperties properties) {
		long maximumSize = properties.caffeine().maximumSize();
		if (maximumSize < 1) {
			throw new InvalidRateLimitPropertyException("ratelimit.caffeine.maximum-size", maximumSize,
					"is out of range", "Set it to the number of keys to keep for each policy, from 1.", null);
		}
		return new LocalRateLimitStore(clock, maximumSize);
	}

}
