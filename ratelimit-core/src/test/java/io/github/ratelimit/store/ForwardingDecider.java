package io.github.ratelimit.store;

import io.github.ratelimit.RateLimitDecision;

/**
 * States of somebody else's store: they have what every store must have, and do it as
 * others do.
 */
public class ForwardingDecider implements PolicyDecider {

	protected final PolicyDecider states;

	public ForwardingDecider(PolicyDecider states) {
		this.states = states;
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		return this.states.decide(key, permits);
	}

	@Override
	public void refund(String key, long permits, RateLimitDecision given) {
		this.states.refund(key, permits, given);
	}

	@Override
	public void reset(String key) {
		this.states.reset(key);
	}

}
