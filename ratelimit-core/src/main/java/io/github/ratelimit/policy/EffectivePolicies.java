package io.github.ratelimit.policy;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitInterventions;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitStore;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that one policy has: as it is defined, under its plans and under overrides.
 * Finds those that decide on a key.
 */
final class EffectivePolicies {

	/*
	 * Loads a class that only policies with plans use: the JIT compiler inlines no method
	 * that has a parameter of a class that is not loaded.
	 */
	static final Class<?> LOADED = PlanQuestion.class;

	private final StoreRateLimiter limiter;

	private final RateLimitStore store;

	/* As the policy is defined, which may change. */
	private volatile EffectivePolicy defined;

	/*
	 * The shadow limits that were opened last, also if the policy has none any more: a
	 * store keeps the keys that it has opened, and those that come later go on with them.
	 */
	private volatile @Nullable EffectivePolicy lastShadow;

	/** Null if the policy has no plans; it cannot get any later. */
	final @Nullable KnownPlans knownPlans;

	/* How the policy is decided under each of its plans. */
	private volatile Map<String, EffectivePolicy> plans;

	/* What operators have decided of keys by hand. Nearly always nothing. */
	private volatile @Nullable KeyInterventions interventions;

	/* Nearly always none. */
	private volatile @Nullable Overridden overridden;

	/*
	 * Overrides with the same numbers share them. Guarded by the lock of overrides.
	 */
	private Map<RateLimitPolicy, EffectivePolicy> overriding = Map.of();

	/*
	 * The numbers of the override that is about to be put in force, so that they are made
	 * once. Guarded by the lock of overrides.
	 */
	private @Nullable EffectivePolicy prepared;

	/*
	 * The only numbers, without plans, overrides and interventions: nearly always those
	 * as defined.
	 */
	private volatile @Nullable EffectivePolicy only;

	/**
	 * Opens a policy.
	 * @param limiter counts and reports what is decided
	 * @param policy the policy as it is defined
	 * @param store where its keys are
	 * @param settings how it is found out which plans callers have
	 */
	EffectivePolicies(StoreRateLimiter limiter, RateLimitPolicy policy, RateLimitStore store, PlanSettings settings) {
		this.limiter = limiter;
		this.store = store;
		this.defined = new EffectivePolicy(limiter, policy, store.open(policy), openShadow(policy), false);
		this.knownPlans = knownPlans(policy, settings);
		this.plans = plans(this.defined);
		findOnly();
	}

	private @Nullable KnownPlans knownPlans(RateLimitPolicy policy, PlanSettings settings) {
		if (policy.plans().isEmpty() || this.store instanceof UnlimitedStore) {
			return null;
		}
		return new KnownPlans(() -> this.defined.policy, this.limiter.reports, settings);
	}

	/**
	 * The policy as it is defined.
	 */
	EffectivePolicy defined() {
		return this.defined;
	}

	/**
	 * What decides on a key: an intervention, else the numbers of an override of the key,
	 * else of its plan, else of the policy.
	 * @param key the key that is limited
	 * @param question the question of the call for its caller's plan, if there is one
	 */
	EffectivePolicy of(String key, @Nullable PlanQuestion question) {
		EffectivePolicy only = this.only;
		if (only != null) {
			return only;
		}
		return choose(key, question, true);
	}

	/**
	 * The numbers that decide on a key by the plan that was last known. Nothing is asked.
	 */
	EffectivePolicy last(String key) {
		EffectivePolicy only = this.only;
		if (only != null) {
			return only;
		}
		return choose(key, null, false);
	}

	/**
	 * The numbers that would decide on a key without interventions.
	 */
	EffectivePolicy numbers(String key) {
		return chooseNumbers(key, null, true);
	}

	private EffectivePolicy choose(String key, @Nullable PlanQuestion question, boolean asks) {
		EffectivePolicy byHand = byHand(key);
		if (byHand != null) {
			return byHand;
		}
		return chooseNumbers(key, question, asks);
	}

	/**
	 * What an operator has decided of a key.
	 * @return {@code null} if the numbers decide
	 */
	@Nullable EffectivePolicy byHand(String key) {
		KeyInterventions interventions = this.interventions;
		return (interventions != null) ? interventions.of(key) : null;
	}

	private EffectivePolicy chooseNumbers(String key, @Nullable PlanQuestion question, boolean asks) {
		Overridden overridden = this.overridden;
		if (overridden != null) {
			EffectivePolicy ofKey = overridden.ofKey(key);
			if (ofKey != null) {
				return ofKey;
			}
		}

		String plan = plan(key, question, asks);
		EffectivePolicy underPlan = (plan != null) ? this.plans.get(plan) : null;
		if (overridden != null) {
			String known = (underPlan != null) ? plan : null;
			EffectivePolicy ofPlan = overridden.ofPlan(known);
			if (ofPlan != null) {
				return ofPlan;
			}
		}
		return (underPlan != null) ? underPlan : this.defined;
	}

	private @Nullable String plan(String key, @Nullable PlanQuestion question, boolean asks) {
		KnownPlans known = this.knownPlans;
		if (known == null) {
			return null;
		}
		if (asks) {
			return known.of(key, question);
		}
		return known.last(key);
	}

	/**
	 * A plan that is known of a key, if the policy as it is defined now has it.
	 */
	@Nullable String plan(Function<KnownPlans, @Nullable String> ofKey) {
		if (this.knownPlans == null) {
			return null;
		}
		String plan = ofKey.apply(this.knownPlans);
		return (plan != null && this.plans.containsKey(plan)) ? plan : null;
	}

	/**
	 * Puts another definition in force, for every decision that begins from now on.
	 * @param defined the policy as it is defined from now on
	 * @param plans how it is decided under its plans
	 */
	synchronized void define(EffectivePolicy defined, Map<String, EffectivePolicy> plans) {
		this.only = null;
		this.plans = plans;
		this.defined = defined;
		findOnly();
	}

	/**
	 * Replaces the overrides in force, for every decision that begins from now on. What
	 * counts or waits is ready before the first of them.
	 * @param inForce all overrides of the policy
	 * @param clock the time of their ends
	 */
	void replaceOverrides(List<RateLimitOverrides.InForce> inForce, RateLimitClock clock) {
		Overridden overridden = new Overridden(new HashMap<>(), new HashMap<>(), new IdentityHashMap<>(), clock);
		Map<RateLimitPolicy, EffectivePolicy> used = new HashMap<>();
		for (RateLimitOverrides.InForce each : inForce) {
			RateLimitOverride override = each.override();
			EffectivePolicy effective = used.computeIfAbsent(policyUnder(override), this::under);
			this.limiter.noteInForce(effective);
			overridden.add(each, effective);
		}
		this.overriding = used;
		this.prepared = null;

		synchronized (this) {
			this.overridden = inForce.isEmpty() ? null : overridden;
			findOnly();
		}
	}

	/**
	 * Puts in force what operators have decided of keys, for every decision that begins
	 * from now on.
	 * @param inForce all interventions of the policy's keys
	 * @param clock the time of their ends
	 */
	synchronized void intervene(List<RateLimitInterventions.InForce> inForce, RateLimitClock clock) {
		KeyInterventions interventions = null;
		if (!inForce.isEmpty()) {
			interventions = new KeyInterventions(this.limiter, this.defined, inForce, clock);
			this.limiter.noteInForce(interventions.kinds());
		}
		this.interventions = interventions;
		findOnly();
	}

	/**
	 * The numbers that an override gives the policy.
	 * @throws InvalidRateLimitException if the policy cannot be enforced so
	 */
	EffectivePolicy under(RateLimitOverride override) {
		return under(policyUnder(override));
	}

	private EffectivePolicy under(RateLimitPolicy policy) {
		EffectivePolicy known = this.overriding.get(policy);
		if (known != null) {
			return known;
		}

		EffectivePolicy prepared = this.prepared;
		if (prepared == null || !prepared.policy.equals(policy)) {
			prepared = with(policy);
			this.prepared = prepared;
		}
		return prepared;
	}

	/**
	 * Forgets the numbers of overrides, so that they are made anew on next use.
	 */
	void forgetOverridden() {
		this.overriding = Map.of();
		this.prepared = null;
	}

	/**
	 * The policy with the numbers of an override.
	 * @throws InvalidRateLimitException if it cannot have them
	 */
	RateLimitPolicy policyUnder(RateLimitOverride override) {
		RateLimitOverride.Target target = override.target();
		RateLimitPolicy policy = policyToOverride(target);
		if (!override.limits().isEmpty()) {
			policy = policy.withLimits(override.limits());
		}
		else if (target.plan() != null && policy == this.defined.policy) {
			throw new InvalidRateLimitException("limits", override.limits(),
					"has no entry, and the plan '" + target.plan() + "' is unlimited",
					"Set the limits that are to decide on the plan's callers meanwhile.");
		}

		if (override.mode() == null) {
			return policy;
		}
		return policy.withMode(override.mode());
	}

	/**
	 * The policy with the numbers that an override goes on from: those of its plan, or of
	 * the policy. An unlimited plan has none of its own.
	 */
	RateLimitPolicy policyToOverride(RateLimitOverride.Target target) {
		RateLimitPolicy policy = this.defined.policy;
		if (target.plan() == null) {
			return policy;
		}
		RateLimitPolicy underPlan = policy.underPlan(target.plan());
		return Objects.requireNonNullElse(underPlan, policy);
	}

	/**
	 * The numbers in force that a policy has, for whichever keys.
	 * @return {@code null} if they are no longer in force
	 */
	@Nullable EffectivePolicy find(RateLimitPolicy policy) {
		EffectivePolicy defined = this.defined;
		if (policy == defined.policy) {
			return defined;
		}
		for (EffectivePolicy underPlan : this.plans.values()) {
			if (policy == underPlan.policy) {
				return underPlan;
			}
		}

		Overridden overridden = this.overridden;
		EffectivePolicy found = (overridden != null) ? overridden.numbers.get(policy) : null;
		KeyInterventions interventions = this.interventions;
		if (found == null && interventions != null) {
			found = interventions.find(policy);
		}
		return found;
	}

	private void findOnly() {
		boolean alone = this.knownPlans == null && this.overridden == null && this.interventions == null;
		this.only = alone ? this.defined : null;
	}

	/**
	 * The policy under another definition.
	 * @param policy the policy as it is to be
	 */
	EffectivePolicy definition(RateLimitPolicy policy) {
		return new EffectivePolicy(this.limiter, policy, open(policy, this.defined), openShadow(policy), false);
	}

	/**
	 * How a policy is decided under each of its plans.
	 * @param defined the policy as it is defined, or is to be
	 */
	Map<String, EffectivePolicy> plans(EffectivePolicy defined) {
		Map<String, EffectivePolicy> plans = new HashMap<>();
		if (this.knownPlans != null) {
			defined.policy.plans().keySet().forEach((plan) -> plans.put(plan, underPlan(plan, defined)));
		}
		return plans;
	}

	/*
	 * What an unlimited plan lets pass counts as given long ago, so that nothing of it is
	 * refunded to limits that hold later.
	 */
	private EffectivePolicy underPlan(String plan, EffectivePolicy defined) {
		RateLimitPolicy policy = defined.policy.underPlan(plan);
		if (policy == null) {
			return new EffectivePolicy(this.limiter, defined.policy, new UnlimitedStore(() -> 0), null, true);
		}
		return checked(() -> with(policy), "plans" + InvalidRateLimitException.element(plan) + ".");
	}

	/**
	 * The policy with other numbers.
	 * @param policy the policy with these numbers
	 * @return the policy as it is defined, if the numbers are its own
	 */
	private EffectivePolicy with(RateLimitPolicy policy) {
		EffectivePolicy defined = this.defined;
		if (policy.equals(defined.policy)) {
			return defined;
		}
		EffectivePolicy shadow = policy.shadowLimits().isEmpty() ? null : defined.shadow;
		return new EffectivePolicy(this.limiter, policy, open(policy, defined), shadow, false);
	}

	/*
	 * What decides on the shadow limits of a policy, if it has some.
	 */
	private @Nullable EffectivePolicy openShadow(RateLimitPolicy policy) {
		RateLimitPolicy shadow = policy.shadow();
		if (shadow == null) {
			return null;
		}

		EffectivePolicy opened = checked(
				() -> new EffectivePolicy(this.limiter, shadow, open(shadow, this.lastShadow), null, false), "shadow-");
		this.lastShadow = opened;
		return opened;
	}

	/*
	 * What goes on with what a key has taken, if the store can.
	 */
	private PolicyDecider open(RateLimitPolicy policy, @Nullable EffectivePolicy before) {
		if (before != null) {
			PolicyDecider decider = before.decider.under(policy);
			if (decider != null) {
				return decider;
			}
		}
		return this.store.open(policy);
	}

	/*
	 * The store names a limit by its index in the policy that it is given.
	 */
	private static EffectivePolicy checked(Supplier<EffectivePolicy> opened, String prefix) {
		try {
			return opened.get();
		}
		catch (InvalidRateLimitException ex) {
			if (ex.attribute().startsWith("limits[")) {
				throw ex.within(prefix);
			}
			throw ex;
		}
	}

	/**
	 * The overrides that are in force at a moment. They are never changed once they are
	 * published, but replaced.
	 *
	 * @param keys what decides on keys, whatever their plans are
	 * @param plans what decides on the keys of plans, and with {@code null} on those
	 * without a plan
	 * @param numbers all of them, by their policies
	 * @param clock the time of their ends
	 */
	private record Overridden(Map<String, Ending> keys, Map<@Nullable String, Ending> plans,
			Map<RateLimitPolicy, EffectivePolicy> numbers, RateLimitClock clock) {

		void add(RateLimitOverrides.InForce inForce, EffectivePolicy effective) {
			Instant until = inForce.until();
			long endNanos = (until != null) ? ChronoUnit.NANOS.between(Instant.EPOCH, until) : Long.MAX_VALUE;
			Ending ending = new Ending(effective, endNanos);
			this.numbers.put(effective.policy, effective);

			RateLimitOverride.Target target = inForce.override().target();
			if (target.key() != null) {
				this.keys.put(target.key(), ending);
			}
			else {
				this.plans.put(target.plan(), ending);
			}
		}

		@Nullable EffectivePolicy ofKey(String key) {
			return unlessEnded(this.keys.get(key));
		}

		@Nullable EffectivePolicy ofPlan(@Nullable String plan) {
			return unlessEnded(this.plans.get(plan));
		}

		private @Nullable EffectivePolicy unlessEnded(@Nullable Ending ending) {
			if (ending == null || ending.isOver(this.clock)) {
				return null;
			}
			return ending.effective;
		}

	}

	private record Ending(EffectivePolicy effective, long endNanos) {

		boolean isOver(RateLimitClock clock) {
			return this.endNanos != Long.MAX_VALUE && clock.nanos() >= this.endNanos;
		}

	}

	/**
	 * Keeps nothing and lets everything pass, where rate limits are turned off.
	 */
	static final class UnlimitedStore implements RateLimitStore, PolicyDecider {

		/** What is left of no limit; that of a limit is less. */
		static final long REMAINING = Long.MAX_VALUE;

		private final RateLimitClock clock;

		UnlimitedStore(RateLimitClock clock) {
			this.clock = clock;
		}

		@Override
		public String name() {
			return "none";
		}

		@Override
		public PolicyDecider open(RateLimitPolicy policy) {
			return this;
		}

		@Override
		public RateLimitDecision decide(String key, long permits) {
			return RateLimitDecisions.allowed(this.clock.nanos(), REMAINING, 0, 0, 0);
		}

		@Override
		public void refund(String key, long permits, RateLimitDecision given) {
		}

		@Override
		public void reset(String key) {
		}

		@Override
		public boolean isInProcess() {
			return true;
		}

	}

}
