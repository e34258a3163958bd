package io.github.ratelimit.policy;

import java.util.Objects;
import java.util.concurrent.CompletionStage;

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
 *
 * @since 0.1.0
 */
public final class PolicyVersion {

	/* Counts and tells what is decided, whatever the version. */
	private final StoreRateLimiter limiter;

	final RateLimitPolicy policy;

	final PolicyDecider states;

	private final long longestDelayNanos;

	/* Decides in shadow, if something is to. */
	final @Nullable Shadow shadow;

	/* Whether the policy does not apply to those who have these numbers. */
	private final boolean unlimited;

	private final boolean enforced;

	private final boolean plain;

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
		this.plain = this.longestDelayNanos == 0 && shadow == null && !limiter.hasSessions();
	}

	/**
	 * Enforces the policy.
	 * @return the limiter, the same for all versions
	 */
	public StoreRateLimiter limiter() {
		return this.limiter;
	}

	/**
	 * The policy with these numbers.
	 * @return the policy
	 */
	public RateLimitPolicy policy() {
		return this.policy;
	}

	/**
	 * The longest that an allowed request may have to wait.
	 * @return nanoseconds, 0 if none waits
	 */
	public long longestDelayNanos() {
		return this.longestDelayNanos;
	}

	/**
	 * Whether {@link #decide} is all that there is to it: asked alone, answered at once,
	 * and only enforced.
	 * @return {@code false} if something is decided in shadow, may wait, or is asked in a
	 * session
	 */
	public boolean isPlain() {
		return this.plain;
	}

	/**
	 * Whether something is decided in shadow, perhaps beside what is enforced.
	 * @return {@code true} if {@link #askInShadow} has an effect
	 */
	public boolean isShadowed() {
		return this.shadow != null;
	}

	/**
	 * The policy for those whom it does not limit.
	 */
	PolicyVersion unlimited(RateLimitClock clock) {
		return new PolicyVersion(this.limiter, this.policy, new PolicyVersions.UnlimitedStore(clock), null, true);
	}

	/**
	 * Whether the policy does not apply. Where all limits are turned off, it does, for
	 * what counts on it.
	 * @return {@code true} for a plan without limits
	 */
	public boolean isUnlimited() {
		return this.unlimited;
	}

	/**
	 * Whether the policy rejects and delays requests.
	 * @return {@code false} in shadow
	 */
	public boolean isEnforced() {
		return this.enforced;
	}

	/**
	 * Decides on one request, and reports it.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @param withoutDelay whether to reject a request that would have to wait
	 * @return the decision
	 * @throws IllegalArgumentException if the permits are negative
	 */
	public RateLimitDecision decide(String key, long permits, boolean withoutDelay) {
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
	 * Decides on a request that nothing enforces, which may pass if the policy is only
	 * tried.
	 */
	RateLimitDecision decideByHand(String key, long permits, boolean withoutDelay) {
		if (this.unlimited) {
			return look(key);
		}
		Shadow shadow = this.shadow;
		askInShadow(key, permits);
		return (shadow != null && !this.enforced) ? shadow.pass() : decide(key, permits, withoutDelay);
	}

	/**
	 * Decides on a request in shadow, if something is to, and does not wait.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs, from 1
	 */
	public void askInShadow(String key, long permits) {
		Shadow shadow = this.shadow;
		if (shadow != null) {
			shadow.ask(key, permits);
			observeInShadow(key, permits);
		}
	}

	/**
	 * Decides as {@link #askInShadow} does on a request that is settled later.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs, from 1
	 * @return the decision, or why there is none
	 */
	public CompletionStage<RateLimitDecision> reserveInShadow(String key, long permits) {
		observeInShadow(key, permits);
		return Objects.requireNonNull(this.shadow).reserve(key, permits);
	}

	/**
	 * Settles what a request was given in shadow, and does not wait.
	 * @param key the key that is limited
	 * @param reserved how many permits the request was given
	 * @param used how many it has used, from 0
	 * @param given the decision that allowed it
	 */
	public void settleInShadow(String key, long reserved, long used, RateLimitDecision given) {
		Objects.requireNonNull(this.shadow).settle(key, reserved, used, given);
	}

	/* For advice, of a request that is decided on in shadow alone. */
	private void observeInShadow(String key, long permits) {
		if (!this.enforced) {
			this.limiter.observe(key, permits);
		}
	}

	/**
	 * What to ask the store's session.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @param withoutDelay whether to reject a request that would have to wait
	 * @return the question
	 * @throws IllegalArgumentException if the permits are negative
	 */
	public RateLimitSession.Question question(String key, long permits, boolean withoutDelay) {
		requireNotNegative(permits);
		return new RateLimitSession.Question(this.states, key, permits, withoutDelay);
	}

	/**
	 * What to refund in the store's session.
	 * @param key the key that is limited
	 * @param permits how many permits the request cost
	 * @param decision the decision that allowed it
	 * @return what was given
	 */
	public RateLimitSession.Given given(String key, long permits, RateLimitDecision decision) {
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

	/**
	 * Settles what a request was given, and does not wait. What fails is counted: the
	 * request is charged what it has reserved.
	 * @param key the key that is limited
	 * @param reserved how many permits the request was given
	 * @param used how many it has used, from 0
	 * @param given the decision that allowed it
	 * @throws IllegalArgumentException if {@code used} is negative
	 */
	public void settle(String key, long reserved, long used, RateLimitDecision given) {
		if (used < 0) {
			throw new IllegalArgumentException("A request cannot have used " + used + " permits; use 0 or more");
		}
		if (!this.enforced || this.unlimited) {
			return;
		}
		DecisionReports.Counts<RateLimitSettlement> settlements = this.limiter.reports.settlements;
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

	/**
	 * Counts what became of a request, and tells the log and the listeners.
	 * @param key the key that is limited
	 * @param decision what was decided
	 * @param outcome what became of the request
	 */
	public void report(String key, RateLimitDecision decision, RateLimitOutcome outcome) {
		this.limiter.reports.add(this.policy, key, decision, outcome);
	}

	/**
	 * Reports a ban that began with a decision which is not reported itself.
	 * @param key the key that is limited
	 * @param decision the decision
	 */
	public void reportNewBan(String key, RateLimitDecision decision) {
		this.limiter.reports.addNewBan(this.policy, key, decision);
	}

}
