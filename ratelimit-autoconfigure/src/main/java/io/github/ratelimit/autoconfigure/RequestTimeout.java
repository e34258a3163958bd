package io.github.ratelimit.autoconfigure;

import java.time.Duration;

import io.github.ratelimit.DurationText;
import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitPolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The time-out of asynchronous requests. No policy may delay a request for longer.
 */
final class RequestTimeout {

	static final String PROPERTY = "spring.mvc.async.request-timeout";

	private RequestTimeout() {
	}

	/**
	 * Finds the configured time-out. Without one, the server's default of 30 seconds
	 * applies to asynchronous results of handlers, and the wait before a handler is not
	 * limited.
	 * @return the time-out, or {@code null} if there is none
	 */
	static @Nullable Duration find(Environment environment) {
		Duration timeout = Binder.get(environment).bind(PROPERTY, Duration.class).orElse(null);
		return (timeout != null && timeout.compareTo(Duration.ZERO) > 0) ? timeout : null;
	}

	static long nanos(Environment environment) {
		Duration timeout = find(environment);
		return (timeout != null) ? timeout.toNanos() : Long.MAX_VALUE;
	}

	/**
	 * Checks the delays of a policy that a rule applies.
	 * @param policy the policy under the numbers that it has or is to have
	 * @param rule the property that the rule is
	 * @param environment the environment of the application
	 */
	static void check(RateLimitPolicy policy, String rule, Environment environment) {
		Duration timeout = find(environment);
		if (timeout != null && policy.longestDelay().compareTo(timeout) > 0) {
			throw InvalidRateLimitException.property(rule + ".policy", policy.name(),
					"could make a request wait for " + DurationText.of(policy.longestDelay()) + ", but " + PROPERTY
							+ " is " + DurationText.of(timeout),
					"Give the policy a smaller burst or nodelay, or raise " + PROPERTY + ".", null);
		}
	}

}
