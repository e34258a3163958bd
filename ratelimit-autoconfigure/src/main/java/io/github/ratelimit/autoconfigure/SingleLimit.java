package io.github.ratelimit.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitAlgorithm;
import org.jspecify.annotations.Nullable;

/**
 * The limit that is written directly in a policy. Its numbers can be overridden one by
 * one, while Spring Boot replaces a list as a whole.
 *
 * @param limit the limit, as an entry of the list would be
 * @param property the first of its properties that is set
 * @param value the value of that property
 */
record SingleLimit(RateLimitProperties.Limit limit, String property, Object value) {

	static @Nullable SingleLimit of(RateLimitProperties.Policy policy) {
		Map<String, @Nullable Object> numbers = new LinkedHashMap<>();
		numbers.put("limit", policy.limit());
		numbers.put("window", policy.window());
		numbers.put("zone", policy.zone());
		numbers.put("from", policy.from());
		numbers.put("algorithm", (policy.algorithm() != null) ? policy.algorithm().id() : null);
		numbers.put("burst", policy.burst());
		numbers.put("delay", policy.delay());
		numbers.put("nodelay", policy.nodelay());
		numbers.put("count-rejected", policy.countRejected());
		for (Map.Entry<String, @Nullable Object> number : numbers.entrySet()) {
			if (number.getValue() != null) {
				return new SingleLimit(limit(policy), number.getKey(), number.getValue());
			}
		}
		return null;
	}

	private static RateLimitProperties.Limit limit(RateLimitProperties.Policy policy) {
		return new RateLimitProperties.Limit(
				Objects.requireNonNullElse(policy.algorithm(), RateLimitAlgorithm.TOKEN_BUCKET), policy.limit(),
				policy.window(), policy.zone(), policy.from(), policy.burst(), policy.delay(),
				Boolean.TRUE.equals(policy.nodelay()), Boolean.TRUE.equals(policy.countRejected()));
	}

	void checkAlone(RateLimitProperties.Policy policy, String path) {
		if (!policy.limits().isEmpty()) {
			throw InvalidRateLimitException.property(path + "." + this.property, this.value,
					"is a number of the policy's only limit, but the policy has the list '" + path + ".limits' too",
					"Write a single limit directly in the policy, or all limits in the list.", null);
		}
	}

}
