package io.github.ratelimit.remote;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;

/**
 * What each limit of a policy counts in this process while the store cannot. The limits
 * of all versions of the policy go on from one another, place by place.
 */
final class LocalParts {

	private final Function<RateLimitPolicy, PolicyDecider> local;

	private final List<PolicyDecider> opened = new CopyOnWriteArrayList<>();

	/**
	 * Creates parts that have counted nothing.
	 * @param local opens a policy in this process
	 */
	LocalParts(Function<RateLimitPolicy, PolicyDecider> local) {
		this.local = local;
	}

	/**
	 * Opens a limit.
	 * @param place its place in the policy, no later than behind those that are open
	 * @param policy a policy of this limit alone
	 */
	synchronized PolicyDecider open(int place, RateLimitPolicy policy) {
		if (place < this.opened.size()) {
			PolicyDecider changed = this.opened.get(place).under(policy);
			return (changed != null) ? changed : this.local.apply(policy);
		}
		PolicyDecider first = this.local.apply(policy);
		this.opened.add(first);
		return first;
	}

	long evictions() {
		return this.opened.stream().mapToLong(PolicyDecider::evictions).sum();
	}

}
