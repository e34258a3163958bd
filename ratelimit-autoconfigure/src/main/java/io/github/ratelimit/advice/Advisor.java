package io.github.ratelimit.advice;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;

/**
 * Observes the traffic of all policies. As a listener it is told who is rejected.
 *
 * @since 0.1.0
 */
public final class Advisor implements RateLimitListener {

	private final Map<String, ObservedTraffic> traffic = new ConcurrentHashMap<>();

	private final RateLimitClock clock;

	private final boolean keepsKeys;

	/**
	 * Creates an advisor that has observed nothing.
	 * @param clock tells the time
	 * @param keepsKeys whether the keys that are rejected most are kept, or only their
	 * hashes
	 */
	public Advisor(RateLimitClock clock, boolean keepsKeys) {
		this.clock = RateLimitClock.monotonic(clock);
		this.keepsKeys = keepsKeys;
	}

	/**
	 * Begins to observe a policy. What was observed goes on when its limits change.
	 * @param policy the policy
	 * @param hash hashes keys as the log does
	 * @return what is observed
	 */
	public ObservedTraffic observe(RateLimitPolicy policy, UnaryOperator<String> hash) {
		return this.traffic.computeIfAbsent(policy.name(),
				(name) -> new ObservedTraffic(policy, this.clock, hash, this.keepsKeys));
	}

	@Override
	public void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision, RateLimitOutcome outcome) {
		switch (outcome) {
			case REJECTED, BANNED, QUEUE_FULL -> {
				ObservedTraffic observed = this.traffic.get(policy.name());
				if (observed != null) {
					observed.reject(key);
				}
			}
			case ALLOWED, DELAYED, UNAVAILABLE, RETURNED -> {
			}
		}
	}

}
