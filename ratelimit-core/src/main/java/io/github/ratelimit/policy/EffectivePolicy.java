package io.github.ratelimit.policy;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import org.jspecify.annotations.Nullable;

/**
 * A policy with the numbers under which it decides on a request: its own, or those of a
 * plan or an override. A request has one from the moment it is known what it asks, and
 * everything about it, from the slot to wait in to the header fields and the settlement,
 * is taken from that one.
 *
 * @since 0.1.0
 */
public final class EffectivePolicy {

	private final StoreRateLimiter limiter;

	/* Counts and reports what is decided, whatever the numbers. */
	private final DecisionReports reports;

	final RateLimitPolicy policy;

	final PolicyDecider decider;

	private final long longestDelayNanos;

	private final boolean inProcess;

	/*
	 * Decides in shadow, if something is to: of a policy in shadow itself, and else what
	 * has its shadow limits.
	 */
	final @Nullable EffectivePolicy shadow;

	/* Whether the policy does not apply to those who have these numbers. */
	private final boolean unlimited;

	/* What an operator has decided of the keys that have this, in place of limits. */
	private final @Nullable Kind intervention;

	private final boolean enforced;

	/* Whether what would be rejected passes. */
	private final boolean informing;

	/* Whether permits are taken of requests, which are counted so. */
	private final boolean taking;

	/* Counts what becomes of requests whose permits are taken. */
	private final OutcomeCounts outcomes;

	private final boolean plain;

	/*
	 * The answer to a programmatic call while the policy is in shadow: as if the key had
	 * never been used.
	 */
	private final @Nullable RateLimitDecision pass;

	private volatile @Nullable Object attachment;

	/**
	 * Creates a policy with numbers.
	 * @param limiter counts and reports what is decided
	 * @param policy the policy with the numbers
	 * @param decider decides for it
	 * @param shadow decides on its shadow limits, if it is enforced and has some
	 * @param unlimited whether the policy does not apply to those who have these numbers
	 */
	EffectivePolicy(StoreRateLimiter limiter, RateLimitPolicy policy, PolicyDecider decider,
			@Nullable EffectivePolicy shadow, boolean unlimited) {
		this(limiter, policy, decider, shadow, unlimited, null);
	}

	/**
	 * Creates a policy whose limits do not decide, because an operator has.
	 * @param limiter counts and reports what is decided
	 * @param enforced the policy in the mode in which it is enforced
	 * @param decider decides as the operator has
	 * @param intervention what the operator has decided
	 */
	EffectivePolicy(StoreRateLimiter limiter, RateLimitPolicy enforced, PolicyDecider decider, Kind intervention) {
		this(limiter, enforced, decider, null, intervention == Kind.EXEMPT, intervention);
	}

	private EffectivePolicy(StoreRateLimiter limiter, RateLimitPolicy policy, PolicyDecider decider,
			@Nullable EffectivePolicy shadow, boolean unlimited, @Nullable Kind intervention) {
		this.limiter = limiter;
		this.reports = limiter.reports;
		this.policy = policy;
		this.decider = decider;
		this.inProcess = decider.isInProcess();
		this.longestDelayNanos = (intervention != null) ? 0 : policy.withoutPlans().longestDelay().toNanos();
		this.unlimited = unlimited;
		this.intervention = intervention;

		boolean tried = policy.mode() == RateLimitMode.SHADOW;
		this.enforced = policy.mode() == RateLimitMode.ENFORCE;
		this.informing = policy.mode() == RateLimitMode.INFORM;
		this.taking = !tried && intervention == null;
		this.outcomes = outcomes();
		boolean isShadow = tried && !unlimited;
		this.shadow = isShadow ? this : shadow;
		this.pass = tried ? pass(policy) : null;
		this.plain = this.longestDelayNanos == 0 && this.shadow == null && limiter.sessions == null;
	}

	/*
	 * What an operator bans is counted as what the policy bans.
	 */
	private OutcomeCounts outcomes() {
		if (this.intervention == Kind.DENY || this.intervention == Kind.EXEMPT) {
			return this.reports.countIntervened(this.intervention);
		}
		return this.informing ? this.reports.countInformed() : this.reports.outcomes;
	}

	/**
	 * Returns what enforces the policy.
	 * @return the limiter, the same for all numbers of the policy
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
	 * What another component has cached for these numbers, such as their texts for
	 * clients.
	 * @return what was attached last, or {@code null} if nothing was
	 */
	public @Nullable Object attachment() {
		return this.attachment;
	}

	/**
	 * Keeps something for as long as the numbers are in force.
	 * @param attachment what to keep in place of what was attached before
	 */
	public void attach(Object attachment) {
		this.attachment = attachment;
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
	 * Whether the store is in this process, so that nobody waits for a decision.
	 * @return {@code false} if it may be outside
	 */
	public boolean isInProcess() {
		return this.inProcess;
	}

	/**
	 * Whether something is decided in shadow, perhaps beside what is enforced.
	 * @return {@code true} if {@link #askInShadow} has an effect
	 */
	public boolean isShadowed() {
		return this.shadow != null;
	}

	/**
	 * Whether the policy does not apply to the key.
	 * @return {@code true} for a plan without limits; {@code false} where limits are
	 * turned off altogether: the policy then lets everything pass
	 */
	public boolean isUnlimited() {
		return this.unlimited;
	}

	/**
	 * Whether the policy rejects and delays requests.
	 * @return {@code false} in shadow, and if it only informs
	 */
	public boolean isEnforced() {
		return this.enforced;
	}

	/**
	 * Whether the policy lets pass what it would reject, and says so.
	 * @return {@code true} in the mode {@link RateLimitMode#INFORM}
	 */
	public boolean isInforming() {
		return this.informing;
	}

	/**
	 * Whether all requests are rejected, and nobody else need be asked, because an
	 * operator has decided so.
	 * @return {@code true} for a key that is banned or denied by hand
	 */
	public boolean isRefusing() {
		return this.intervention != null && !this.unlimited;
	}

	/**
	 * Whether all requests are rejected because an operator has denied their key.
	 * @return {@code false} also for a key that is banned by hand
	 */
	public boolean isDenying() {
		return this.intervention == Kind.DENY;
	}

	/**
	 * Counts a request that passes because an operator has exempted its key, if that is
	 * why it does.
	 */
	public void countExempt() {
		if (this.intervention == Kind.EXEMPT) {
			this.outcomes.add(RateLimitOutcome.ALLOWED);
		}
	}

	/**
	 * Whether permits are taken of requests.
	 * @return {@code false} in shadow, and if an operator has decided in place of limits
	 */
	public boolean takesPermits() {
		return this.taking;
	}

	/**
	 * Turns what the store has decided into the decision of this policy.
	 * @param decided the store's decision
	 * @return the same, unless the policy lets pass what the store rejects
	 */
	public RateLimitDecision informed(RateLimitDecision decided) {
		if (!this.informing || decided.allowed()) {
			return decided;
		}
		return RateLimitDecisions.asExceeded(decided);
	}

	/**
	 * Decides on one request, and reports it.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @param withoutDelay whether to reject a request that would have to wait
	 * @return the decision
	 */
	public RateLimitDecision decide(String key, long permits, boolean withoutDelay) {
		RateLimitDecision decision;
		if (withoutDelay) {
			decision = this.decider.decideWithoutDelay(key, permits);
		}
		else {
			decision = this.decider.decide(key, permits);
		}
		if (this.informing) {
			decision = informed(decision);
		}

		if (permits > 0) {
			RateLimitOutcome outcome = decision.outcome();
			this.outcomes.add(outcome);
			if (outcome != RateLimitOutcome.ALLOWED || this.reports.followed) {
				this.reports.add(this.policy, key, permits, decision, outcome);
			}
		}
		return decision;
	}

	/**
	 * Decides on a request of the application's own code, which passes if the policy is
	 * only tried. A key without limits is only looked at.
	 */
	RateLimitDecision decideForCode(String key, long permits, boolean withoutDelay) {
		if (this.unlimited) {
			countExempt();
			return this.decider.decide(key, 0);
		}
		askInShadow(key, permits);
		if (this.pass != null) {
			return this.pass;
		}
		return decide(key, permits, withoutDelay);
	}

	private static RateLimitDecision pass(RateLimitPolicy policy) {
		return RateLimitDecisions.combined(policy.limits()
			.stream()
			.map((limit) -> RateLimitDecisions.allowed(0, limit.capacity(), 0, 0, 0))
			.toArray(RateLimitDecision[]::new));
	}

	/**
	 * Decides on a request in shadow, if something is to: counts what would have become
	 * of it and notifies the listeners. Does not wait, and no failure reaches the caller.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs, from 1
	 */
	public void askInShadow(String key, long permits) {
		EffectivePolicy shadow = this.shadow;
		if (shadow == null) {
			return;
		}
		if (!shadow.inProcess) {
			reserveInShadow(key, permits);
			return;
		}

		observeInShadow(key, permits);
		RateLimitDecision decision = null;
		try {
			decision = shadow.decider.decide(key, permits);
		}
		catch (RuntimeException ex) {
			// counted as dropped
		}
		this.reports.addShadow(shadow.policy, key, decision, !this.taking);
	}

	/**
	 * Decides as {@link #askInShadow} does on a request that is settled later.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs, from 1
	 * @return the decision, or why there is none
	 */
	public CompletionStage<RateLimitDecision> reserveInShadow(String key, long permits) {
		observeInShadow(key, permits);
		EffectivePolicy shadow = Objects.requireNonNull(this.shadow);
		CompletionStage<RateLimitDecision> answer = begun(() -> shadow.decider.decideAsync(key, permits));
		answer.whenComplete((decision, failure) -> this.reports.addShadow(shadow.policy, key, decision, !this.taking));
		return answer;
	}

	/* A request whose permits are also taken is observed when that is decided. */
	private void observeInShadow(String key, long permits) {
		RequestObserver observer = this.reports.observer;
		if (observer != null && !this.taking) {
			observer.observe(key, permits);
		}
	}

	/**
	 * Settles what a request was given in shadow, and does not wait. What fails is lost:
	 * the request is charged what it has reserved.
	 * @param key the key that is limited
	 * @param reserved how many permits the request was given
	 * @param used how many it has used, from 0
	 * @param given the decision that allowed it
	 */
	public void settleInShadow(String key, long reserved, long used, RateLimitDecision given) {
		EffectivePolicy shadow = Objects.requireNonNull(this.shadow);
		begun(() -> shadow.decider.settleAsync(key, reserved, used, given));
	}

	/* A store that does not even begin fails later, too. */
	private static <T> CompletionStage<T> begun(Supplier<CompletionStage<T>> call) {
		try {
			return call.get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedStage(ex);
		}
	}

	/**
	 * What to ask in the store's session.
	 * @return decides for the policy under these numbers
	 */
	public PolicyDecider decider() {
		return this.decider;
	}

	void refund(String key, long permits, RateLimitDecision given) {
		if (permits < 0) {
			throw new IllegalArgumentException("A request cannot have cost " + permits + " permits; use 0 or more");
		}
		if (!isTaken(given)) {
			return;
		}
		this.decider.refund(key, permits, given);
		if (permits > 0) {
			report(key, permits, given, RateLimitOutcome.RETURNED);
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
		if (!isTaken(given)) {
			return;
		}

		if (used == reserved) {
			this.reports.settlements.add(RateLimitSettlement.KEPT);
		}
		else if (this.inProcess) {
			settleHere(key, reserved, used, given);
		}
		else {
			settleElsewhere(key, reserved, used, given);
		}
	}

	/*
	 * Who is rejected or exceeds a limit that only informs takes nothing that could go
	 * back, and neither did who was not limited then.
	 */
	private boolean isTaken(RateLimitDecision given) {
		boolean wasLimited = given.remaining() != EffectivePolicies.UnlimitedStore.REMAINING;
		return this.taking && !this.unlimited && wasLimited && given.allowed() && !given.exceeded();
	}

	private void settleHere(String key, long reserved, long used, RateLimitDecision given) {
		RuntimeException failure = null;
		try {
			LateCharge charge = this.decider.settle(key, reserved, used, given);
			if (charge != null) {
				reportThresholds(key, charge);
			}
		}
		catch (RuntimeException ex) {
			failure = ex;
		}
		countSettlement(reserved, used, failure);
	}

	/* A store that does not even begin has failed as one that fails later. */
	private void settleElsewhere(String key, long reserved, long used, RateLimitDecision given) {
		try {
			this.decider.settleAsync(key, reserved, used, given).whenComplete((charge, failure) -> {
				countSettlement(reserved, used, failure);
				if (charge != null) {
					reportThresholds(key, charge);
				}
			});
		}
		catch (RuntimeException ex) {
			countSettlement(reserved, used, ex);
		}
	}

	private void reportThresholds(String key, LateCharge charge) {
		if (this.reports.thresholds != null) {
			this.reports.thresholds.add(this.policy, key, charge);
		}
	}

	private void countSettlement(long reserved, long used, @Nullable Throwable failure) {
		RateLimitSettlement settlement = RateLimitSettlement.CHARGED;
		if (failure != null) {
			settlement = RateLimitSettlement.FAILED;
		}
		else if (used < reserved) {
			settlement = RateLimitSettlement.RETURNED;
		}
		this.reports.settlements.add(settlement);
	}

	void reset(String key) {
		this.decider.reset(key);
		if (this.shadow != null && this.shadow != this) {
			this.shadow.decider.reset(key);
		}
	}

	/**
	 * Counts what became of a request, logs it and notifies the listeners.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs, from 1
	 * @param decision what was decided
	 * @param outcome what became of the request
	 */
	public void report(String key, long permits, RateLimitDecision decision, RateLimitOutcome outcome) {
		this.outcomes.add(outcome);
		this.reports.add(this.policy, key, permits, decision, outcome);
	}

	/**
	 * Reports a ban that began with a decision which is not reported itself.
	 * @param key the key that is limited
	 * @param decision the decision
	 */
	public void reportNewBan(String key, RateLimitDecision decision) {
		this.reports.addNewBan(this.policy, key, decision);
	}

}
