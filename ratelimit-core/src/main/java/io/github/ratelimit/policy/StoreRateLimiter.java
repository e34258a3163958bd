package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimitStanding;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStore;
import org.jspecify.annotations.Nullable;

/**
 * Enforces one policy: it asks the store, counts the outcome and notifies the listeners.
 *
 * @since 0.1.0
 */
public final class StoreRateLimiter implements RateLimiter {

	private final String alias;

	final EffectivePolicies effectivePolicies;

	/*
	 * Opens the session in which several policies of the store are asked, if it can be.
	 */
	final @Nullable Supplier<RateLimitSession> sessions;

	final DecisionReports reports;

	private final LimiterActivity activity = new LimiterActivity();

	private final AppliedLocations locations = new AppliedLocations();

	StoreRateLimiter(RateLimitPolicy policy, String alias, RateLimitStore store,
			@Nullable Supplier<RateLimitSession> sessions, DecisionReports reports, PlanSettings plans) {
		this.alias = alias;
		this.sessions = sessions;
		this.reports = reports;
		this.effectivePolicies = new EffectivePolicies(this, policy, store, plans);
		noteInForce(this.effectivePolicies.defined());
	}

	/**
	 * Casts a limiter to the type that enforces it. It is no extension point: a store is.
	 * @param limiter a limiter of the registry
	 * @return the same
	 */
	public static StoreRateLimiter of(RateLimiter limiter) {
		if (limiter instanceof StoreRateLimiter store) {
			return store;
		}
		throw new IllegalStateException(
				"A policy that is applied has a limiter that is not the RateLimiterRegistry's own. "
						+ "If a test mocks either, set ratelimit.enabled to false there.");
	}

	@Override
	public RateLimitPolicy policy() {
		return this.effectivePolicies.defined().policy;
	}

	/**
	 * The name by which clients know the policy where they are not to know its own.
	 * @return {@code p1} for the policy that was defined first, and so on
	 */
	public String alias() {
		return this.alias;
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		return decideForCode(key, permits, false);
	}

	@Override
	public RateLimitDecision decideWithoutDelay(String key, long permits) {
		return decideForCode(key, permits, true);
	}

	private RateLimitDecision decideForCode(String key, long permits, boolean withoutDelay) {
		if (permits <= 0) {
			throw new IllegalArgumentException("A request cannot cost " + permits
					+ " permits; use 1 or more, or peek to see what a key has left without taking any");
		}
		return effectivePolicy(key).decideForCode(key, permits, withoutDelay);
	}

	@Override
	public RateLimitStanding peek(String key) {
		return effectivePolicy(key).decider.decide(key, 0);
	}

	/**
	 * Opens the session of one request.
	 * @return the session, or {@code null} if the store decides for one policy at a time
	 */
	public @Nullable RateLimitSession session() {
		return (this.sessions != null) ? this.sessions.get() : null;
	}

	/**
	 * The numbers that decide on a key at present, if nothing is known of a call.
	 * @param key the key that is limited
	 * @return the policy with these numbers
	 */
	public EffectivePolicy effectivePolicy(String key) {
		return this.effectivePolicies.of(key, null);
	}

	/**
	 * The numbers that decide on a call at present.
	 * @param key the key that is limited
	 * @param question the call's question for its caller's plan, if there is one
	 * @return the policy with these numbers
	 */
	public EffectivePolicy effectivePolicy(String key, @Nullable PlanQuestion question) {
		return this.effectivePolicies.of(key, question);
	}

	/**
	 * The numbers that decide on a key at present by the plan that it was last found to
	 * have. Nothing is asked.
	 * @param key the key that is limited
	 * @return the policy with these numbers
	 */
	public EffectivePolicy lastEffectivePolicy(String key) {
		return this.effectivePolicies.last(key);
	}

	/**
	 * Whether the plan of a key would have to be asked for.
	 * @param key the key that is limited
	 * @return {@code false} if there are no plans, that of the key was found out lately,
	 * or an operator has decided on it
	 */
	public boolean asksForPlan(String key) {
		KnownPlans plans = this.effectivePolicies.knownPlans;
		return plans != null && !plans.isFresh(key) && this.effectivePolicies.byHand(key) == null;
	}

	/**
	 * Whether calls of one key are always decided alike.
	 * @return {@code false} if a call must be known to choose the numbers
	 */
	public boolean dependsOnKeyOnly() {
		return this.effectivePolicies.knownPlans == null;
	}

	/**
	 * Whether a call may wait until a resolver has found the plan of its key.
	 * @return {@code false} if there is no resolver that is asked
	 */
	public boolean mayAwaitPlan() {
		KnownPlans plans = this.effectivePolicies.knownPlans;
		return plans != null && plans.hasResolver();
	}

	/**
	 * The numbers with which a rejection was thrown, for what its client is to know.
	 * @param policy the policy with the limits that rejected
	 * @return the policy with these numbers, which decides nothing if they are no longer
	 * in force
	 */
	public EffectivePolicy effectivePolicyOf(RateLimitPolicy policy) {
		EffectivePolicy inForce = this.effectivePolicies.find(policy);
		if (inForce != null) {
			return inForce;
		}
		return new EffectivePolicy(this, policy, this.effectivePolicies.defined().decider, null, false);
	}

	/**
	 * What observes the policy's requests.
	 * @return the observer, or {@code null} if there is none
	 */
	public @Nullable RequestObserver requestObserver() {
		return this.reports.observer;
	}

	/**
	 * Counts from now on which keys are rejected, or would be in shadow.
	 */
	public void countRejectedKeys() {
		this.reports.countRejectedKeys();
	}

	/**
	 * The keys that were rejected most, or would have been in shadow, since the start.
	 * @return the keys, most rejected first, at most 20; none if they are not counted
	 */
	public List<RejectedKey> rejectedMost() {
		RejectedKeys rejected = this.reports.rejectedKeys();
		return (rejected != null) ? rejected.most() : List.of();
	}

	/**
	 * The keys that were rejected most, or would have been in shadow, in the half hour
	 * that is under way and the one before.
	 * @return the keys, most rejected first, at most 20; none if they are not counted
	 */
	public List<RejectedKey> rejectedMostLately() {
		RejectedKeys rejected = this.reports.rejectedKeys();
		return (rejected != null) ? rejected.mostLately() : List.of();
	}

	/**
	 * Finds a key that was rejected, and is counted.
	 * @param hash the key's hash, as {@link RejectedKey} has it and the log
	 * @return the key, or {@code null} if this process counts no key with that hash
	 */
	public @Nullable String rejectedKey(String hash) {
		RejectedKeys rejected = this.reports.rejectedKeys();
		return (rejected != null) ? rejected.find(hash) : null;
	}

	@Override
	public void refund(String key, long permits, RateLimitDecision given) {
		this.effectivePolicies.numbers(key).refund(key, permits, given);
	}

	@Override
	public void settle(String key, long reserved, long used, RateLimitDecision given) {
		this.effectivePolicies.numbers(key).settle(key, reserved, used, given);
	}

	@Override
	public long settlements(RateLimitSettlement settlement) {
		return this.reports.settlements.sum(settlement);
	}

	@Override
	public void reset(String key) {
		EffectivePolicy effective = this.effectivePolicies.numbers(key);
		effective.reset(key);

		EffectivePolicy defined = this.effectivePolicies.defined();
		if (effective != defined) {
			defined.reset(key);
		}

		ThresholdReports thresholds = this.reports.thresholds;
		if (thresholds != null) {
			thresholds.forget(key);
		}
	}

	/**
	 * The limits that decide on a key at present.
	 * @param key the key that is limited
	 * @return the limits; none if the key's plan is unlimited
	 */
	public List<RateLimit> limitsFor(String key) {
		EffectivePolicy effective = effectivePolicy(key);
		if (effective.isRefusing()) {
			effective = this.effectivePolicies.numbers(key);
		}
		if (effective.isUnlimited()) {
			return List.of();
		}
		return effective.policy.limits();
	}

	/**
	 * How many requests were decided on while the policy was enforced, whatever its mode
	 * is now.
	 * @param outcome what became of them
	 * @return the number since the start
	 */
	public long countEnforced(RateLimitOutcome outcome) {
		return this.reports.outcomes.sum(outcome);
	}

	/**
	 * How many requests were decided on while the policy informed, whatever its mode is
	 * now.
	 * @param outcome what became of them
	 * @return the number since the start
	 */
	public long countInformed(RateLimitOutcome outcome) {
		return this.reports.informed(outcome);
	}

	/**
	 * How many times a key has crossed a share of a limit, of which the policy
	 * {@link RateLimitPolicy#warnAt() warns}.
	 * @param share the share, in percent
	 * @return the number since the start
	 */
	public long countThresholds(int share) {
		ThresholdReports thresholds = this.reports.thresholds;
		if (thresholds == null) {
			return 0;
		}
		return thresholds.count(share);
	}

	/**
	 * How many requests passed or were rejected because their key is exempt or denied by
	 * hand. Those of banned keys are counted by their outcome.
	 * @param kind what was decided of the keys
	 * @return the number since the start
	 */
	public long intervened(Kind kind) {
		return this.reports.intervened(kind);
	}

	@Override
	public @Nullable String plan(String key) {
		return this.effectivePolicies.plan((plans) -> plans.of(key, null));
	}

	/**
	 * The plan that a key was last found to have. Nothing is asked.
	 * @param key the key that is limited
	 * @return the plan's name, or {@code null} if it is not known or the key has none
	 */
	public @Nullable String knownPlan(String key) {
		return this.effectivePolicies.plan((plans) -> plans.last(key));
	}

	@Override
	public void forgetPlan(String key) {
		KnownPlans plans = this.effectivePolicies.knownPlans;
		if (plans != null) {
			plans.forget(key);
		}
	}

	@Override
	public long unknownPlans() {
		KnownPlans plans = this.effectivePolicies.knownPlans;
		return (plans != null) ? plans.unknown() : 0;
	}

	@Override
	public long count(RateLimitOutcome outcome) {
		ShadowCounts shadow = this.reports.shadow();
		if (shadow != null && !hasEnforced() && !hasInformed()) {
			return shadow.count(outcome);
		}
		return countEnforced(outcome) + countInformed(outcome);
	}

	@Override
	public @Nullable RateLimitShadow shadow() {
		return this.reports.shadow();
	}

	/**
	 * Puts another definition in force. What counts or waits is ready before the first
	 * decision.
	 * @param defined the policy as it is defined from now on
	 * @param plans how it is decided under its plans
	 */
	void redefine(EffectivePolicy defined, Map<String, EffectivePolicy> plans) {
		noteInForce(defined);
		this.effectivePolicies.define(defined, plans);
		if (defined.shadow != null) {
			this.reports.showShadow(defined.shadow.policy);
		}
	}

	/**
	 * Notes that numbers are in force, for those who count and for those who wait.
	 */
	void noteInForce(EffectivePolicy effective) {
		boolean begins = this.activity.note(effective);
		boolean beginsInShadow = this.reports.shadow() == null && effective.shadow != null;
		if (effective.shadow != null) {
			countInShadow(effective, effective.shadow.policy);
		}
		if (begins || beginsInShadow) {
			this.activity.notifyObserver();
		}
	}

	/**
	 * Notes what operators decide of keys, for those who count.
	 */
	void noteInForce(Set<Kind> interventions) {
		if (this.activity.note(interventions)) {
			this.activity.notifyObserver();
		}
	}

	/**
	 * Whether operators decide on some keys by hand.
	 * @param kind what they decide
	 * @return {@code true} also if they only did before
	 */
	public boolean isIntervening(Kind kind) {
		return this.activity.isIntervening(kind);
	}

	/*
	 * The numbers that are shown are those of the policy as it is defined, if it tries
	 * any.
	 */
	private void countInShadow(EffectivePolicy effective, RateLimitPolicy tried) {
		EffectivePolicy defined = this.effectivePolicies.defined();
		if (effective == defined || defined.shadow == null) {
			this.reports.showShadow(tried);
		}
		else {
			this.reports.countShadow(tried);
		}
	}

	/**
	 * Has an observer notified when the limiter does what it did not do before: when it
	 * enforces, delays, tries in shadow, or has a location with an expression of its own
	 * that can fail.
	 */
	void observe(Runnable observer) {
		this.activity.observe(observer);
	}

	/**
	 * Registers what records how long each delayed request waits.
	 * @param recorder identifies what records them; it is registered only once
	 * @param delays is given each of the waits
	 */
	public void observeDelays(Object recorder, Consumer<Duration> delays) {
		this.reports.delays.putIfAbsent(recorder, delays);
	}

	/**
	 * Whether the policy has enforced since the start.
	 * @return {@code true} also if it only did under an override
	 */
	public boolean hasEnforced() {
		return this.activity.hasEnforced();
	}

	/**
	 * Whether the policy has informed since the start.
	 * @return {@code true} also if it only did under an override
	 */
	public boolean hasInformed() {
		return this.activity.hasInformed();
	}

	/**
	 * Whether requests may have to wait.
	 * @return {@code true} also if they only had to under a plan or an override
	 */
	public boolean isDelaying() {
		return this.activity.isDelaying();
	}

	/* A store counts the keys of a policy whatever the numbers are. */
	@Override
	public long keys() {
		return this.effectivePolicies.defined().decider.keys();
	}

	@Override
	public long evictions() {
		return this.effectivePolicies.defined().decider.evictions();
	}

	@Override
	public long fallbacks() {
		return this.effectivePolicies.defined().decider.fallbacks();
	}

	/**
	 * Counts a request whose key, cost, condition, charge or plan could not be found out.
	 * @param expression which of them
	 */
	public void countFailure(RateLimitExpression expression) {
		this.reports.failures.incrementAndGet(expression.ordinal());
	}

	@Override
	public long failures(RateLimitExpression expression) {
		return this.reports.failures.get(expression.ordinal());
	}

	/**
	 * Records a location at which the policy is applied, for display.
	 * @param location the rule or method
	 */
	public void add(AppliedLocation location) {
		if (this.locations.add(location)) {
			this.activity.notifyObserver();
		}
	}

	/**
	 * Whether the policy, or a location at which it is applied, has an expression.
	 * @param expression which of them
	 * @return {@code false} if the expression cannot fail, because there is none
	 */
	public boolean has(RateLimitExpression expression) {
		return switch (expression) {
			case KEY -> true;
			case COST, CONDITION -> this.locations.have(expression);
			case CHARGE -> policy().charge() != null || this.locations.have(expression);
			case CHARGE_EACH -> policy().chargeEach() != null || this.locations.have(expression);
			case PLAN -> !policy().plans().isEmpty();
		};
	}

	/**
	 * Forgets locations at which the policy is no longer applied.
	 * @param forgotten whether a location is to be forgotten
	 */
	public void removeLocations(Predicate<AppliedLocation> forgotten) {
		this.locations.removeIf(forgotten);
	}

	/**
	 * Whether a location at which the policy is applied has a key of its own.
	 * @return {@code false} if all keys are those of the policy's expression
	 */
	public boolean hasOwnKeys() {
		return this.locations.have(RateLimitExpression.KEY);
	}

	/**
	 * Where the policy is applied, with what differs from it there.
	 * @return the rules and methods, sorted
	 */
	public Collection<AppliedLocation> locations() {
		return this.locations.all();
	}

	@Override
	public Collection<String> appliedTo() {
		return this.locations.names();
	}

}
