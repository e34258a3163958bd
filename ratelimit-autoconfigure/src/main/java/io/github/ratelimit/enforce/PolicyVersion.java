package io.github.ratelimit.enforce;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession;
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

	final PolicyDecider states;

	/* The longest that an allowed request may have to wait. */
	final long longestDelayNanos;

	/* Decides in shadow, if something is to. */
	final @Nullable Shadow shadow;

	/* Whether the policy does not apply to those who have these numbers. */
	private final boolean unlimited;

	private final boolean enforced;

	/* Asked alone, answered at once, and only enforced. */
	final boolean plain;

	PolicyVersion(StoreRateLimiter limiter, RateLimitPolicy policy, PolicyDecider states, @Nullable Shadow shadow) {
		this(limiter, policy, states, shadow, false);
	}

	private PolicyVersion(StoreRateLimiter limiter, RateLimitPolicy policy, PolicyDecider states,
			@Nullable Shadow shadow, boolean unlimited) {
		this.limiter = limiter;
		this.policy = policy;
		this.states = states;
		this.longestDelayNanos = policy.longestDelay().toNanos();
		this.shadow = shadow;
		this.unlimited = unlimited;
		this.enforced = policy.mode() == RateLimitMode.ENFORCE;
		this.plain = this.longestDelayNanos == 0 && shadow == null && limiter.sessions == null;
	}

	/**
	 * The policy for those whom it does not limit.
	 */
	PolicyVersion unlimited(RateLimitClock clock) {
		return new PolicyVersion(this.limiter, this.policy, new UnlimitedStore(clock), null, true);
	}

	/**
	 * Whether the policy does not apply. Where all limits are turned off, it does, for
	 * what counts on it.
	 */
	boolean isUnlimited() {
		return this.unlimited;
	}

	boolean isEnforced() {
		return this.enforced;
	}

	RateLimitDecision decide(String key, long permits, boolean withoutDelay) {
		requireNotNegative(permits);
		RateLimitDecision decision = withoutDelay ? this.states.decideWithoutDelay(key, permits)
				: this.states.decide(key, permits);
		if (permits > 0) {
			this.limiter.observe(key, permits);
			report(key, decision, RateLimitOutcome.of(decision));
		}
		return decision;
	}

	RateLimitDecision look(String key) {
		return this.states.decide(key, 0);
	}

	/**
	 * Decides on a request that nobody enforces, which may pass if the policy is only
	 * tried.
	 */
	RateLimitDecision decideByHand(String key, long permits, boolean withoutDelay) {
		if (this.unlimited) {
			return look(key);
		}
		Shadow shadow = this.shadow;
		if (shadow != null) {
			shadow.ask(key, permits);
			observeInShadow(key, permits);
		}
		return (shadow != null && !this.enforced) ? shadow.pass() : decide(key, permits, withoutDelay);
	}

	/**
	 * Observes a request, for advice, that is decided on in shadow alone.
	 */
	void observeInShadow(String key, long permits) {
		if (!this.enforced) {
			this.limiter.observe(key, permits);
		}
	}

	RateLimitSession.Question question(String key, long permits, boolean withoutDelay) {
		requireNotNegative(permits);
		return new RateLimitSession.Question(this.states, key, permits, withoutDelay);
	}

	RateLimitSession.Given given(String key, long permits, RateLimitDecision decision) {
		return new RateLimitSession.Given(this.states, key, permits, decision);
	}

	private static void requireNotNegative(long permits) {
		if (permits < 0) {
			throw new IllegalArgumentException("A request cannot cost " + permits + " permits; use 1 or more");
		}
	}

	void refund(String key, long permits, RateLimitDecision given) {
		if (!this.enforced || this.unlimited) {
			return;
		}
		this.states.refund(key, permits, given);
		if (permits > 0) {
			report(key, given, RateLimitOutcome.RETURNED);
		}
	}

	void settle(String key, long reserved, long used, RateLimitDecision given) {
		if (used < 0) {
			throw new IllegalArgumentException("A request cannot have used " + used + " permits; use 0 or more");
		}
		if (!this.enforced || this.unlimited) {
			return;
		}
		Counts<RateLimitSettlement> settlements = this.limiter.reports.settlements;
		if (used == reserved) {
			settlements.add(RateLimitSettlement.KEPT);
			return;
		}
		RateLimitSettlement settled = (used < reserved) ? RateLimitSettlement.RETURNED : RateLimitSettlement.CHARGED;
		try {
			this.states.settleAsync(key, reserved, used, given)
				.whenComplete(
						(done, failure) -> settlements.add((failure == null) ? settled : RateLimitSettlement.FAILED));
		}
		catch (RuntimeException ex) {
			settlements.add(RateLimitSettlement.FAILED);
		}
	}

	void reset(String key) {
		this.states.reset(key);
		if (this.shadow != null && this.enforced) {
			this.shadow.reset(key);
		}
	}

	void report(String key, RateLimitDecision decision, RateLimitOutcome outcome) {
		this.limiter.reports.add(this.policy, key, decision, outcome);
	}

	void reportNewBan(String key, RateLimitDecision decision) {
		this.limiter.reports.addNewBan(this.policy, key, decision);
	}

}
