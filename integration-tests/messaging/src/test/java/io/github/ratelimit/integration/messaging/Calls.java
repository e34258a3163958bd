package io.github.ratelimit.integration.messaging;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;

/**
 * Counts how often each limited method ran, and how often it was rejected.
 */
class Calls implements RateLimitListener {

	private final Map<String, AtomicInteger> made = new ConcurrentHashMap<>();

	private final Map<String, AtomicInteger> rejected = new ConcurrentHashMap<>();

	void add(String name) {
		count(this.made, name).incrementAndGet();
	}

	int made(String name) {
		return count(this.made, name).get();
	}

	int rejected(String name) {
		return count(this.rejected, name).get();
	}

	@Override
	public void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision, RateLimitOutcome outcome) {
		if (!decision.allowed()) {
			count(this.rejected, policy.name()).incrementAndGet();
		}
	}

	private static AtomicInteger count(Map<String, AtomicInteger> counts, String name) {
		return counts.computeIfAbsent(name, (absent) -> new AtomicInteger());
	}

}
