package io.github.ratelimit.resilience;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitStore;

/**
 * The simplest store whose keys go on under other limits: nothing that is taken ever
 * comes back.
 */
final class CountingStore implements RateLimitStore {

	private static final long DAY = 86_400_000_000_000L;

	private int opened;

	@Override
	public String name() {
		return "counting";
	}

	/**
	 * How many policies were opened, whose versions do not count.
	 */
	int opened() {
		return this.opened;
	}

	@Override
	public PolicyDecider open(RateLimitPolicy policy) {
		this.opened++;
		return new States(policy, new ConcurrentHashMap<>());
	}

	private record States(RateLimitPolicy policy, Map<String, Long> taken) implements PolicyDecider {

		@Override
		public RateLimitDecision decide(String key, long permits) {
			long before = this.taken.getOrDefault(key, 0L);
			boolean allowed = permits == 0 || before + permits <= this.policy.capacity();
			long after = allowed ? before + permits : before;
			this.taken.put(key, after);
			long remaining = Math.max(0, this.policy.capacity() - after);
			RateLimitDecision decision = allowed ? RateLimitDecisions.allowed(0, remaining, 0, DAY, DAY)
					: RateLimitDecisions.rejected(0, remaining, DAY, DAY, DAY);
			RateLimitDecision[] all = new RateLimitDecision[this.policy.limits().size()];
			Arrays.fill(all, decision);
			return RateLimitDecisions.combined(all);
		}

		@Override
		public void refund(String key, long permits, RateLimitDecision given) {
			this.taken.merge(key, -permits, Long::sum);
		}

		@Override
		public void reset(String key) {
			this.taken.remove(key);
		}

		@Override
		public PolicyDecider under(RateLimitPolicy policy) {
			return new States(policy, this.taken);
		}

	}

}
