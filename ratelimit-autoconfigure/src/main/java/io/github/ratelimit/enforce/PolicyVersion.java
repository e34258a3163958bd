package io.github.ratelimit.enforce;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStates;
import org.jspecify.annotations.Nullable;

/**
 * The numbers under which a policy decides on a request: its own, or those of a plan or
 * an override. A request has one from the moment it is known what it asks, and everything
 * about it, from the place to wait to the header fields and the settlement, is told by
 * that one.
 */
final class PolicyVersion {

	/* Counts and tells what is decided, whatever the version. */
	final StoreRateLimiter limiter;

	final RateLimitPolicy policy;

	final RateLimitStates states;

	/* The longest that an allowed request may have to wait. */
	final long longestDelayNanos;

	/* Decides in shadow, if something is to. */
	final @Nullable Shadow shadow;

	/* Asked alone, answered at once, and only enforced. */
	final boolean plain;

	PolicyVersion(StoreRateLimiter limiter, RateLimitPolicy policy, RateLimitStates states, @Nullable Shadow shadow) {
		this.limiter = limiter;
		this.policy = policy;
		this.states = states;
		this.longestDelayNanos = policy.longestDelay().toNanos();
		this.shadow = shadow;
		this.plain = this.longestDelayNanos == 0 && shadow == null && limiter.sessions == null;
	}

	/**
	 * The policy for those whom it does not limit.
	 */
	PolicyVersion unlimited(RateLimitClock clock) {
		return new PolicyVersion(this.limiter, this.policy, new UnlimitedStore(clock), null);
	}

	/**
	 * Whether the policy does not apply. Where all limits are turned off, it does, for
	 * what counts on it.
	 */
	boolean isUnlimited() {
		return this.states instanceof UnlimitedStore && this != this.limiter.versions.defined;
	}

	boolean isEnforced() {
		return this.policy.mode() == RateLimitMode.ENFORCE;
	}

	RateLimitDecision decide(String key, long permits, boolean atOnce) {
		return this.limiter.decide(this, key, permits, atOnce);
	}

	RateLimitDecision look(String key) {
		return this.states.decide(key, 0);
	}

	RateLimitSession.Question question(String key, long permits, boolean atOnce) {
		StoreRateLimiter.requireNotNegative(permits);
		return new RateLimitSession.Question(this.states, key, permits, atOnce);
	}

	RateLimitSession.Given given(String key, long permits, RateLimitDecision decision) {
		return new RateLimitSession.Given(this.states, key, permits, decision);
	}

	void giveBack(String key, long permits, RateLimitDecision given) {
		this.limiter.giveBack(this, key, permits, given);
	}

	void settle(String key, long reserved, long used, RateLimitDecision given) {
		this.limiter.settle(this, key, reserved, used, given);
	}

	void report(String key, RateLimitDecision decision, RateLimitOutcome outcome) {
		this.limiter.reports.add(this.policy, key, decision, outcome);
	}

	void reportNewBan(String key, RateLimitDecision decision) {
		this.limiter.reports.addNewBan(this.policy, key, decision);
	}

}
