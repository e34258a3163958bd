package io.github.ratelimit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;

/**
 * Policies of every algorithm, and of several limits.
 */
public final class TestPolicies {

	private TestPolicies() {
	}

	/**
	 * Makes policies with the same capacity each.
	 */
	public static Stream<RateLimitPolicy> of(long capacity, Duration window) {
		List<RateLimitPolicy> policies = new ArrayList<>();
		for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
			policies.add(RateLimitPolicy.of(algorithm.id(), limit(algorithm, capacity, window)));
		}
		policies.add(RateLimitPolicy.of("nodelay", withoutDelay(LEAKY_BUCKET, capacity, window)));
		policies.add(RateLimitPolicy.of("two", limit(TOKEN_BUCKET, capacity, window),
				limit(FIXED_WINDOW_COUNTER, 2 * capacity, window)));
		policies.add(RateLimitPolicy.of("four", limit(SLIDING_WINDOW_COUNTER, 2 * capacity, window),
				limit(SLIDING_WINDOW_LOG, capacity, window), limit(LEAKY_BUCKET, 2 * capacity, window),
				limit(SLIDING_WINDOW_LOG, 2 * capacity, window.dividedBy(2))));
		return policies.stream();
	}

	/**
	 * Makes a limit with a capacity.
	 */
	public static RateLimit limit(RateLimitAlgorithm algorithm, long capacity, Duration window) {
		return RateLimit.builder(algorithm)
			.limit(capacity)
			.window(window)
			.burst((algorithm == LEAKY_BUCKET) ? (Long) (capacity - 1) : null)
			.build();
	}

	/**
	 * A log in which rejected requests count, too.
	 * @param limit how many requests it lets pass
	 * @param window the time in which it does
	 * @return the limit
	 */
	public static RateLimit countingRejected(long limit, Duration window) {
		return RateLimit.builder(RateLimitAlgorithm.SLIDING_WINDOW_LOG)
			.limit(limit)
			.window(window)
			.countRejected(true)
			.build();
	}

	/**
	 * Makes a limit with a capacity that lets nobody wait.
	 */
	public static RateLimit withoutDelay(RateLimitAlgorithm algorithm, long capacity, Duration window) {
		RateLimit.Builder limit = RateLimit.builder(algorithm).limit(capacity).window(window);
		return ((algorithm == LEAKY_BUCKET) ? limit.burst(capacity - 1).nodelay(true) : limit).build();
	}

}
