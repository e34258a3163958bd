package io.github.ratelimit.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;

import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.policy.PolicyChange;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;

/**
 * The policies as they will be once all changes are made.
 */
final class ChangedPolicies {

	private final Map<String, PolicyChange> changes = new LinkedHashMap<>();

	private final StoreRateLimiterRegistry registry;

	ChangedPolicies(StoreRateLimiterRegistry registry) {
		this.registry = registry;
	}

	void add(RateLimitPolicy policy) {
		this.changes.put(policy.name(), this.registry.change(policy));
	}

	StoreRateLimiter limiter(String name) {
		PolicyChange change = this.changes.get(name);
		return (change != null) ? change.limiter() : this.registry.policy(name);
	}

	RateLimitPolicy policy(String name) {
		PolicyChange change = this.changes.get(name);
		return (change != null) ? change.policy() : this.registry.policy(name).policy();
	}

	/**
	 * Whether a policy that changes makes requests wait.
	 */
	boolean delay() {
		return this.changes.values()
			.stream()
			.anyMatch((change) -> change.policy().underAllPlans().stream().anyMatch(RateLimitPolicy::delays));
	}

	void make() {
		this.changes.values().forEach(PolicyChange::make);
	}

}
