package io.github.ratelimit.advice;

import java.util.concurrent.ThreadLocalRandom;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;

/**
 * How the traffic of policies is observed.
 *
 * @param clock tells the time
 * @param keepsKeys whether the keys that are rejected most are kept, or only their hashes
 * @since 0.1.0
 */
public record Advisor(RateLimitClock clock, boolean keepsKeys) {

	/**
	 * Begins to observe a policy.
	 * @param policy the policy
	 * @return what is observed
	 */
	public ObservedTraffic observe(RateLimitPolicy policy) {
		return new ObservedTraffic(policy, RateLimitClock.monotonic(this.clock), new RejectedKeys(this.keepsKeys),
				() -> ThreadLocalRandom.current().nextInt(), ThreadLocalRandom.current().nextInt());
	}

}
