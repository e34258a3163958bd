package io.github.ratelimit.autoconfigure;

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
		long maximumSize = Bounds.check("caffeine.maximum-size", properties.caffeine().maximumSize(), 1L, null,
				"Set it to the number of keys to keep for each policy, from 1.");
		DataSize maximumMemory = properties.caffeine().maximumMemory();
		return (maximumMemory == null) ? new LocalRateLimitStore(clock, maximumSize)
				: new LocalRateLimitStore(clock, maximumSize,
						Bounds
							.check("caffeine.maximum-memory", maximumMemory, DataSize.ofBytes(1), null,
									"Set it to what the keys of all policies may take together, such as 64MB, or "
											+ "remove it for a sixteenth of the heap.")
							.toBytes());
	}

}
