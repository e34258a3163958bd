package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.local.LocalRateLimitStore;

import org.springframework.util.unit.DataSize;

/**
 * Creates the store that {@code ratelimit.caffeine} configures.
 */
final class LocalStores {

	private LocalStores() {
	}

	static LocalRateLimitStore create(RateLimitClock clock, RateLimitProperties properties) {
		long maximumSize = properties.caffeine().maximumSize();
		if (maximumSize < 1) {
			throw InvalidRateLimitException.property("ratelimit.caffeine.maximum-size", maximumSize, "is out of range",
					"Set it to the number of keys to keep for each policy, from 1.", null);
		}
		DataSize maximumMemory = properties.caffeine().maximumMemory();
		if (maximumMemory == null) {
			return new LocalRateLimitStore(clock, maximumSize);
		}
		if (maximumMemory.toBytes() < 1) {
			throw InvalidRateLimitException.property("ratelimit.caffeine.maximum-memory", maximumMemory,
					"is out of range",
					"Set it to what the keys of all policies may take together, such as 64MB, or remove it for a "
							+ "sixteenth of the heap.",
					null);
		}
		return new LocalRateLimitStore(clock, maximumSize, maximumMemory.toBytes());
	}

}
