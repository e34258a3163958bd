package io.github.ratelimit.actuate;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import org.jspecify.annotations.Nullable;

/**
 * A policy as the endpoint shows it.
 *
 * @param key the expression that says who is being limited
 * @param limits the limits, which are decided together
 * @param appliedTo the rules and methods that the policy is applied to; if there are
 * none, it limits only what code asks for by hand
 * @param requests how many requests had each outcome since the start
 * @param keys how many keys have a state, or {@code null} if the store cannot tell
 * @param evictions how many keys were forgotten for want of room while they still counted
 */
public record PolicyDescriptor(String key, List<LimitDescriptor> limits, Collection<String> appliedTo,
		Map<String, Long> requests, @Nullable Long keys, long evictions) {

	static PolicyDescriptor of(RateLimiter limiter, String defaultKey) {
		RateLimitPolicy policy = limiter.policy();
		Map<String, Long> requests = new TreeMap<>();
		for (RateLimitOutcome outcome : RateLimitOutcome.values()) {
			requests.put(outcome.id(), limiter.count(outcome));
		}
		long keys = limiter.keys();
		return new PolicyDescriptor((policy.key() != null) ? policy.key() : defaultKey,
				policy.limits().stream().map(LimitDescriptor::of).toList(), limiter.appliedTo(), requests,
				(keys >= 0) ? keys : null, limiter.evictions());
	}

}
