package io.github.ratelimit.benchmarks.decision;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import org.openjdk.jmh.infra.Blackhole;

/**
 * A decision whose request turns out to have used nothing, so that its permit is refunded
 * .
 */
final class Charged implements Decider {

	private final RateLimiter limiter;

	Charged(RateLimitPolicy policy) {
		this.limiter = Ours.limiter(policy, RateLimitClock.system());
	}

	@Override
	public boolean decide(String key, Blackhole sink) {
		RateLimitDecision decision = this.limiter.decide(key, 1);
		sink.consume(decision);
		return settled(key, decision);
	}

	@Override
	public boolean allows(String key) {
		return settled(key, this.limiter.decide(key, 1));
	}

	private boolean settled(String key, RateLimitDecision decision) {
		if (decision.allowed()) {
			this.limiter.settle(key, 1, 0, decision);
		}
		return decision.allowed();
	}

}
