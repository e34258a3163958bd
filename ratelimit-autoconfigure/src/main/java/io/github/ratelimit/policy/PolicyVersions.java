package io.github.ratelimit.policy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
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
final class PolicyVersions {

	private final StoreRateLimiter limiter;

	private final RateLimitStore store;

	private final RateLimitClock clock;

	/* As the policy is defined, which may change. */
	volatile PolicyVersion defined;

	/* Unless the policy has no plans, which it then never gets. */
	private final @Nullable KnownPlans known;

	/* How the policy is decided under each of its plans. */
	private volatile Map<String, PolicyVersion> plans;

	/* Nearly always none. */
	private volatile @Nullable OverrideVersions overrides;

	/*
	 * Overrides with the same numbers share a version. Guarded by the lock of overrides.
	 */
	private Map<RateLimitPolicy, PolicyVersion> overridden = Map.of();

	/* The only version, without plans and overrides: nearly always the one as defined. */
	private volatile @Nullable PolicyVersion only;

	/**
	 * Opens a policy.
	 * @param limiter counts and tells what is decided
	 * @param policy the policy as it is defined
	 * @param store where its keys are
	 * @param settings how it is found out which plans callers have
	 */
	PolicyVersions(StoreRateLimiter limiter, RateLimitPolicy policy, RateLimitStore store, PlanSettings settings) {
		this.limiter = limiter;
		this.store = store;
		this.clock = settings.clock();
		PolicyDecider states = store.open(policy);
		this.defined = new PolicyVersion(limiter, policy, states,
				Shadow.of(policy, states, null, store, limiter.reports));
		boolean planned = !policy.plans().isEmpty() && !(store instanceof UnlimitedStore);
		this.known = planned ? new KnownPlans(() -> this.defined.policy, limiter.reports, settings) : null;
		this.plans = plans(this.defined);
		findOnly();
	}

	/**
	 * The version that decides on a key at present, if nothing is known of a call.
	 * @param key the key that is limited
	 */
	PolicyVersion of(String key) {
		return of(key, null);
	}

	/**
	 * The version that decides on a key at present: that of an override of the key, else
	 * of its plan, else of the policy.
	 * @param key the key that is limited
	 * @param question the question of the call for its caller's plan, if there is one
	 */
	PolicyVersion of(String key, @Nullable PlanQuestion question) {
		PolicyVersion only = this.only;
		return (only != null) ? only : choose(key, question);
	}

	private PolicyVersion choose(String key, @Nullable PlanQuestion question) {
		OverrideVersions overrides = this.overrides;
		PolicyVersion ofKey = (overrides != null) ? overrides.ofKey(key) : null;
		if (ofKey != null) {
			return ofKey;
		}
		KnownPlans known = this.known;
		String plan = (known != null) ? known.of(key, question) : null;
		PolicyVersion underPlan = (plan != null) ? this.plans.get(plan) : null;
		if (plan != null && underPlan != null) {
			PolicyVersion ofPlan = (overrides != null) ? overrides.ofPlan(plan) : null;
			return (ofPlan != null) ? ofPlan : underPlan;
		}
		PolicyVersion ofPolicy = (overrides != null) ? overrides.ofPolicy() : null;
		return (ofPolicy != null) ? ofPolicy : this.defined;
	}

	/**
	 * Which plans keys have.
	 * @return what is known, or {@code null} if the policy has no plans
	 */
	@Nullable KnownPlans known() {
		return this.known;
	}

	/**
	 * A plan of the policy as it is defined now.
	 * @return the same, or {@code null} if there is no such plan
	 */
	@Nullable String current(@Nullable String plan) {
		return (plan != null && this.plans.containsKey(plan)) ? plan : null;
	}

	/**
	 * Puts another definition in force, for every decision that begins from now on.
	 * @param defined the policy as it is defined from now on
	 * @param plans how it is decided under its plans
	 */
	synchronized void define(PolicyVersion defined, Map<String, PolicyVersion> plans) {
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
		OverrideVersions overrides = new OverrideVersions(clock);
		Map<RateLimitPolicy, PolicyVersion> used = new HashMap<>();
		for (RateLimitOverrides.InForce each : inForce) {
			PolicyVersion version = version(each.override(), used);
			OverrideLog.tell(() -> this.limiter.use(version));
			overrides.add(each, version);
		}
		this.overridden = used;
		synchronized (this) {
			this.overrides = inForce.isEmpty() ? null : overrides;
			findOnly();
		}
	}

	/**
	 * The version that an override makes of the policy.
	 * @throws InvalidRateLimitException if the policy cannot be enforced so
	 */
	PolicyVersion version(RateLimitOverride override) {
		return version(override, new HashMap<>());
	}

	private PolicyVersion version(RateLimitOverride override, Map<RateLimitPolicy, PolicyVersion> used) {
		return used.computeIfAbsent(policy(override), (policy) -> {
			PolicyVersion known = this.overridden.get(policy);
			return (known != null) ? known : version(policy);
		});
	}

	/**
	 * Makes the versions of overrides anew when they are put in force next.
	 */
	void forgetOverridden() {
		this.overridden = Map.of();
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
		this.only = (this.known == null && this.overrides == null) ? this.defined : null;
	}

	/**
	 * Whether calls of one key are always decided alike, so that no call need be known to
	 * choose the version.
	 */
	boolean dependOnKeyOnly() {
		return this.known == null;
	}

	/**
	 * The policy under another definition.
	 * @param policy the policy as it is to be
	 */
	PolicyVersion definition(RateLimitPolicy policy) {
		PolicyDecider states = open(policy);
		return new PolicyVersion(this.limiter, policy, states,
				Shadow.of(policy, states, this.defined, this.store, this.limiter.reports));
	}

	/**
	 * How a policy is decided under each of its plans.
	 * @param defined the policy as it is defined, or is to be
	 */
	Map<String, PolicyVersion> plans(PolicyVersion defined) {
		Map<String, PolicyVersion> plans = new HashMap<>();
		if (this.known != null) {
			defined.policy.plans().keySet().forEach((plan) -> plans.put(plan, underPlan(plan, defined)));
		}
		return plans;
	}

	/*
	 * The store names a limit by its index in the policy that it is given.
	 */
	private PolicyVersion underPlan(String plan, PolicyVersion defined) {
		RateLimitPolicy policy = defined.policy.underPlan(plan);
		try {
			return (policy != null) ? version(policy) : defined.unlimited(this.clock);
		}
		catch (InvalidRateLimitException ex) {
			throw ex.attribute().startsWith("limits[") ? ex.inPlan(plan) : ex;
		}
	}

	/**
	 * A version with other numbers.
	 * @param policy the policy with these numbers
	 * @return the version; that of the policy as it was defined, if the numbers are its
	 * own
	 */
	private PolicyVersion version(RateLimitPolicy policy) {
		if (policy.equals(this.defined.policy)) {
			return this.defined;
		}
		PolicyDecider states = open(policy);
		Shadow tried = policy.shadowLimits().isEmpty() ? null : this.defined.shadow;
		return new PolicyVersion(this.limiter, policy, states,
				(policy.mode() == RateLimitMode.ENFORCE) ? tried : new Shadow(policy, states, this.limiter.reports));
	}

	/*
	 * States that go on with what a key has taken, if the store can.
	 */
	private PolicyDecider open(RateLimitPolicy policy) {
		PolicyDecider states = this.defined.states.under(policy);
		return (states != null) ? states : this.store.open(policy);
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

	}

}
