package io.github.ratelimit.policy;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitStore;
import org.jspecify.annotations.Nullable;

/**
 * The versions of one policy: which of them decides on a key.
 */
final class EffectivePolicies {

	private final StoreRateLimiter limiter;

	private final RateLimitStore store;

	/* As the policy is defined, which may change. */
	volatile EffectivePolicy defined;

	/* Null if the policy has no plans; it cannot get any later. */
	final @Nullable KnownPlans known;

	/* How the policy is decided under each of its plans. */
	private volatile Map<String, EffectivePolicy> plans;

	/* Nearly always none. */
	private volatile @Nullable Overridden overridden;

	/*
	 * Overrides with the same numbers share a version. Guarded by the lock of overrides.
	 */
	private Map<RateLimitPolicy, EffectivePolicy> overridingVersions = Map.of();

	/* The only version, without plans and overrides: nearly always the one as defined. */
	volatile @Nullable EffectivePolicy only;

	/**
	 * Opens a policy.
	 * @param limiter counts and tells what is decided
	 * @param policy the policy as it is defined
	 * @param store where its keys are
	 * @param settings how it is found out which plans callers have
	 */
	EffectivePolicies(StoreRateLimiter limiter, RateLimitPolicy policy, RateLimitStore store, PlanSettings settings) {
		this.limiter = limiter;
		this.store = store;
		this.defined = new EffectivePolicy(limiter, policy, store.open(policy), tried(policy, null), false);
		boolean planned = !policy.plans().isEmpty() && !(store instanceof UnlimitedStore);
		this.known = planned ? new KnownPlans(() -> this.defined.policy, limiter.reports, settings) : null;
		this.plans = plans(this.defined);
		findOnly();
	}

	/**
	 * The version that decides on a key where there are several: that of an override of
	 * the key, else of its plan, else of the policy.
	 * @param key the key that is limited
	 * @param question the question of the call for its caller's plan, if there is one
	 * @param asks whether to ask for a plan that is not known; {@code false} for the plan
	 * that was last known
	 */
	EffectivePolicy choose(String key, @Nullable PlanQuestion question, boolean asks) {
		Overridden overridden = this.overridden;
		EffectivePolicy ofKey = (overridden != null) ? overridden.ofKey(key) : null;
		if (ofKey != null) {
			return ofKey;
		}
		KnownPlans known = this.known;
		String plan = null;
		if (known != null) {
			plan = asks ? known.of(key, question) : known.last(key);
		}
		EffectivePolicy underPlan = (plan != null) ? this.plans.get(plan) : null;
		EffectivePolicy ofOthers = (overridden != null) ? overridden.ofOthers((underPlan != null) ? plan : null) : null;
		if (ofOthers != null) {
			return ofOthers;
		}
		return (underPlan != null) ? underPlan : this.defined;
	}

	/**
	 * A plan that is known of a key, if the policy as it is defined now has it.
	 */
	@Nullable String plan(Function<KnownPlans, @Nullable String> ofKey) {
		String plan = (this.known != null) ? ofKey.apply(this.known) : null;
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
	 * Puts overrides in force, for every decision that begins from now on. What counts or
	 * waits is ready before the first of them.
	 * @param inForce all overrides of the policy
	 * @param clock the time of their ends
	 */
	void override(List<RateLimitOverrides.InForce> inForce, RateLimitClock clock) {
		Overridden overridden = new Overridden(new HashMap<>(), new HashMap<>(), clock);
		Map<RateLimitPolicy, EffectivePolicy> used = new HashMap<>();
		for (RateLimitOverrides.InForce each : inForce) {
			RateLimitOverride override = each.override();
			EffectivePolicy version = used.computeIfAbsent(policy(override), (policy) -> version(override));
			OverrideLog.tell(() -> this.limiter.use(version));
			overridden.add(each, version);
		}
		this.overridingVersions = used;
		synchronized (this) {
			this.overridden = inForce.isEmpty() ? null : overridden;
			findOnly();
		}
	}

	/**
	 * The version that an override makes of the policy.
	 * @throws InvalidRateLimitException if the policy cannot be enforced so
	 */
	EffectivePolicy version(RateLimitOverride override) {
		RateLimitPolicy policy = policy(override);
		EffectivePolicy known = this.overridingVersions.get(policy);
		return (known != null) ? known : version(policy);
	}

	/**
	 * Discards the cached versions of overrides, so that they are rebuilt on next use.
	 */
	void forgetOverridden() {
		this.overridingVersions = Map.of();
	}

	/**
	 * The policy with the numbers of an override.
	 * @throws InvalidRateLimitException if it cannot have them
	 */
	RateLimitPolicy policy(RateLimitOverride override) {
		RateLimitOverride.Target target = override.target();
		RateLimitPolicy policy = policy(target);
		if (!override.limits().isEmpty()) {
			policy = policy.withLimits(override.limits());
		}
		else if (target.plan() != null && policy == this.defined.policy) {
			throw new InvalidRateLimitException("limits", override.limits(),
					"has no entry, and the plan '" + target.plan() + "' is unlimited",
					"Set the limits that are to decide on the plan's callers meanwhile.");
		}
		return (override.mode() != null) ? policy.withMode(override.mode()) : policy;
	}

	/**
	 * The policy with the numbers that an override goes on from: those of its plan, or of
	 * the policy. An unlimited plan has none of its own.
	 */
	RateLimitPolicy policy(RateLimitOverride.Target target) {
		RateLimitPolicy policy = this.defined.policy;
		RateLimitPolicy ofPlan = (target.plan() != null) ? policy.underPlan(target.plan()) : null;
		return (ofPlan != null) ? ofPlan : policy;
	}

	private void findOnly() {
		this.only = (this.known == null && this.overridden == null) ? this.defined : null;
	}

	/**
	 * The policy under another definition.
	 * @param policy the policy as it is to be
	 */
	EffectivePolicy definition(RateLimitPolicy policy) {
		return new EffectivePolicy(this.limiter, policy, open(policy, this.defined), tried(policy, this.defined),
				false);
	}

	/**
	 * How a policy is decided under each of its plans.
	 * @param defined the policy as it is defined, or is to be
	 */
	Map<String, EffectivePolicy> plans(EffectivePolicy defined) {
		Map<String, EffectivePolicy> plans = new HashMap<>();
		if (this.known != null) {
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
		return (policy == null)
				? new EffectivePolicy(this.limiter, defined.policy, new UnlimitedStore(() -> 0), null, true)
				: checked(() -> version(policy), "plans" + InvalidRateLimitException.element(plan) + ".");
	}

	/**
	 * A version with other numbers.
	 * @param policy the policy with these numbers
	 * @return the version; that of the policy as it was defined, if the numbers are its
	 * own
	 */
	private EffectivePolicy version(RateLimitPolicy policy) {
		return policy.equals(this.defined.policy) ? this.defined : new EffectivePolicy(this.limiter, policy,
				open(policy, this.defined), policy.shadowLimits().isEmpty() ? null : this.defined.shadow, false);
	}

	/*
	 * What decides on the shadow limits of a policy, if it has some.
	 */
	private @Nullable EffectivePolicy tried(RateLimitPolicy policy, @Nullable EffectivePolicy before) {
		RateLimitPolicy tried = policy.shadow();
		EffectivePolicy shadow = (before != null && before.isEnforced()) ? before.shadow : null;
		return (tried == null) ? null
				: checked(() -> new EffectivePolicy(this.limiter, tried, open(tried, shadow), null, false), "shadow-");
	}

	/*
	 * States that go on with what a key has taken, if the store can.
	 */
	private PolicyDecider open(RateLimitPolicy policy, @Nullable EffectivePolicy before) {
		PolicyDecider states = (before != null) ? before.states.under(policy) : null;
		return (states != null) ? states : this.store.open(policy);
	}

	/*
	 * The store names a limit by its index in the policy that it is given.
	 */
	private static EffectivePolicy checked(Supplier<EffectivePolicy> version, String place) {
		try {
			return version.get();
		}
		catch (InvalidRateLimitException ex) {
			throw ex.attribute().startsWith("limits[") ? ex.within(place) : ex;
		}
	}

	/**
	 * The overrides that are in force at a moment. Never changed once they are published,
	 * but replaced.
	 *
	 * @param keys what decides on keys, whatever their plans are
	 * @param others what decides on the keys of plans, and with {@code null} on those
	 * without a plan
	 * @param clock the time of their ends
	 */
	private record Overridden(Map<String, Ending> keys, Map<@Nullable String, Ending> others, RateLimitClock clock) {

		void add(RateLimitOverrides.InForce inForce, EffectivePolicy version) {
			Instant until = inForce.until();
			Ending ending = new Ending(version,
					(until != null) ? ChronoUnit.NANOS.between(Instant.EPOCH, until) : Long.MAX_VALUE);
			RateLimitOverride.Target target = inForce.override().target();
			if (target.key() != null) {
				this.keys.put(target.key(), ending);
			}
			else {
				this.others.put(target.plan(), ending);
			}
		}

		@Nullable EffectivePolicy ofKey(String key) {
			return version(this.keys.get(key));
		}

		@Nullable EffectivePolicy ofOthers(@Nullable String plan) {
			return version(this.others.get(plan));
		}

		private @Nullable EffectivePolicy version(@Nullable Ending ending) {
			return (ending == null || ending.endNanos != Long.MAX_VALUE && this.clock.nanos() >= ending.endNanos) ? null
					: ending.version;
		}

	}

	private record Ending(EffectivePolicy version, long endNanos) {
	}

	/**
	 * Keeps nothing and lets everything pass, where rate limits are turned off.
	 */
	static final class UnlimitedStore implements RateLimitStore, PolicyDecider {

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
			return RateLimitDecisions.allowed(this.clock.nanos(), Long.MAX_VALUE, 0, 0, 0);
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
