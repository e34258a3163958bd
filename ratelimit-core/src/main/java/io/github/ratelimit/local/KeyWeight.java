package io.github.ratelimit.local;

import java.util.Collections;
import java.util.Comparator;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.store.MemoryBudget;

/**
 * Estimates how many bytes of the heap the words of a key take, and checks that those of
 * no key are too many.
 */
final class KeyWeight {

	private static final long ARRAY = 24;

	private KeyWeight() {
	}

	/**
	 * Returns how many bytes an array of words takes.
	 */
	static long bytesOfWords(long words) {
		return ARRAY + Long.BYTES * words;
	}

	/**
	 * Checks that a policy's heaviest key fits the maximum, also while its words are
	 * copied to a larger array.
	 * @throws InvalidRateLimitException if it does not
	 */
	static void check(RateLimitPolicy policy, Algorithm algorithm, long maximum) {
		long arrayBytes = bytesOfWords(algorithm.largestSize());
		long heaviest = MemoryBudget.ofEntry(RateLimiter.MAX_KEY_LENGTH) + SeqlockState.BYTES + arrayBytes;
		if (algorithm.grows()) {
			heaviest += arrayBytes;
		}
		if (heaviest > maximum) {
			throw tooHeavy(policy, heaviest, maximum);
		}
	}

	private static InvalidRateLimitException tooHeavy(RateLimitPolicy policy, long heaviest, long maximum) {
		RateLimit limit = Collections.max(policy.limits(), Comparator.comparingLong(KeyWeight::stamps));
		String remedy = "Raise";
		if (stamps(limit) > 0) {
			remedy = "Use the algorithm sliding-window-counter, which needs constant memory, or a lower limit, or raise";
		}
		return new InvalidRateLimitException("limit", limit.limit(),
				"would make a single key of the policy '" + policy.name() + "' take up to " + heaviest
						+ " bytes, more than the " + maximum
						+ " bytes of ratelimit.caffeine.maximum-memory that all keys have together",
				remedy + " ratelimit.caffeine.maximum-memory to many times as much.")
			.inLimit(policy.limits().indexOf(limit));
	}

	private static long stamps(RateLimit limit) {
		return (limit.algorithm() == RateLimitAlgorithm.SLIDING_WINDOW_LOG) ? limit.limit() : 0;
	}

}
