package io.github.ratelimit.actuate;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import org.jspecify.annotations.Nullable;

/**
 * A limit as the endpoint shows it. Numbers that the algorithm does not use are
 * {@code null}.
 *
 * @param algorithm the algorithm's name, as in configuration files
 * @param limit permits per window
 * @param window the window
 * @param burst the token bucket's capacity, or how many may wait in the leaky bucket
 * @param delay how many of the leaky bucket's burst need not wait
 * @param nodelay whether nobody waits in the leaky bucket
 * @param countRejected whether the sliding window log counts what it rejects
 */
public record LimitDescriptor(String algorithm, long limit, Duration window, @Nullable Long burst, @Nullable Long delay,
		@Nullable Boolean nodelay, @Nullable Boolean countRejected) {

	static LimitDescriptor of(RateLimit limit) {
		RateLimitAlgorithm algorithm = limit.algorithm();
		boolean leaky = algorithm == RateLimitAlgorithm.LEAKY_BUCKET;
		boolean bucket = leaky || algorithm == RateLimitAlgorithm.TOKEN_BUCKET;
		return new LimitDescriptor(algorithm.id(), limit.limit(), limit.window(), bucket ? limit.burst() : null,
				leaky ? limit.delay() : null, leaky ? limit.nodelay() : null,
				(algorithm == RateLimitAlgorithm.SLIDING_WINDOW_LOG) ? limit.countRejected() : null);
	}

}
