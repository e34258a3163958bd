package io.github.ratelimit.redis;

import org.jspecify.annotations.Nullable;

/**
 * Whether Redis decides at present, for metrics and health.
 */
public interface RedisAvailability {

	/**
	 * Whether the last call was answered.
	 * @return {@code false} while policies are left to their failure modes
	 */
	boolean isAvailable();

	/**
	 * How often Redis became unavailable.
	 * @return the number since the start
	 */
	long outages();

	/**
	 * What the last failure was.
	 * @return the reason, or {@code null} while Redis is available
	 */
	@Nullable String failure();

}
