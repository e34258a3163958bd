package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.regex.Pattern;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.redis.RedisSettings;

/**
 * Creates the store's settings from {@code ratelimit.redis}.
 */
final class RedisStores {

	private static final Pattern PREFIX = Pattern.compile("[!-z|~&&[^{}]]{1,64}");

	private static final Duration LONGEST = Duration.ofMinutes(1);

	private RedisStores() {
	}

	static RedisSettings settings(RateLimitProperties.Redis redis, boolean ownConnection) {
		if (!PREFIX.matcher(redis.keyPrefix()).matches()) {
			throw InvalidRateLimitException.property("ratelimit.redis.key-prefix", redis.keyPrefix(),
					"is not 1 to 64 printable ASCII characters without spaces and braces",
					"Use a short name of the application, such as shop.", null);
		}
		check("timeout", redis.timeout(), Duration.ofMillis(1));
		check("retry-interval", redis.retryInterval(), Duration.ofMillis(1));
		check("rejection-memory", redis.rejectionMemory(), Duration.ZERO);
		if (redis.instances() < 1) {
			throw InvalidRateLimitException.property("ratelimit.redis.instances", redis.instances(), "is out of range",
					"Set it to the number of instances that share the budgets, from 1.", null);
		}
		return new RedisSettings(redis.keyPrefix(), redis.timeout(), redis.retryInterval(), redis.rejectionMemory(),
				ownConnection, redis.instances());
	}

	private static void check(String name, Duration value, Duration least) {
		if (value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
			throw InvalidRateLimitException.property("ratelimit.redis." + name, value, "is out of range",
					"Use a time from " + least.toMillis() + "ms to 1m.", null);
		}
	}

}
