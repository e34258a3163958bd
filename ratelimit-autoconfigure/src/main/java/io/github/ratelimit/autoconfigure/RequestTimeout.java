package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

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
	 * Checks the delays of policies that rules apply.
	 */
	static void check(RateLimitProperties properties, Function<String, RateLimitPolicy> policies,
			Environment environment) {
		Duration timeout = find(environment);
		List<RateLimitProperties.Rule> rules = properties.rules();
		for (int i = 0; timeout != null && i < rules.size(); i++) {
			String name = rules.get(i).policy();
			for (RateLimitPolicy policy : policies.apply(String.valueOf(name)).underAllPlans()) {
				check(policy, i, timeout);
			}
		}
	}

	/**
	 * Checks the delays of a policy under other numbers, wherever rules apply it.
	 */
	static void check(RateLimitPolicy policy, List<RateLimitProperties.Rule> rules, Environment environment) {
		Duration timeout = find(environment);
		for (int i = 0; timeout != null && i < rules.size(); i++) {
			if (policy.name().equals(rules.get(i).policy())) {
				check(policy, i, timeout);
			}
		}
	}

	private static void check(RateLimitPolicy policy, int rule, Duration timeout) {
		if (policy.longestDelay().compareTo(timeout) > 0) {
			throw InvalidRateLimitException.property("ratelimit.rules[" + rule + "].policy", policy.name(),
					"could make a request wait for " + DurationText.of(policy.longestDelay()) + ", but " + PROPERTY
							+ " is " + DurationText.of(timeout),
					"Give the policy a smaller burst or nodelay, or raise " + PROPERTY + ".", null);
		}
	}

}
