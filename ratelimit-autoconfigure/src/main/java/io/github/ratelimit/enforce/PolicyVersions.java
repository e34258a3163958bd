package io.github.ratelimit.enforce;

import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.expression.CallExpressions;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.store.RateLimitStates;
import io.github.ratelimit.store.RateLimitStore;
import org.jspecify.annotations.Nullable;

/**
 * The versions of one policy: which of them decides on a key.
 */
final class PolicyVersions {

	private final StoreRateLimiter limiter;

	private final RateLimitStore store;

	/* As the policy is defined, which may change. */
	volatile PolicyVersion defined;

	/* Once they are open, if there are any. There are for good, or never. */
	private volatile @Nullable PlanVersions plans;

	/* Nearly always none. */
	private volatile @Nullable OverrideVersions overrides;

	/* The only version, without plans and overrides: nearly always the one as defined. */
	private volatile @Nullable PolicyVersion only;

	/**
	 * Opens a policy.
	 * @param limiter counts and tells what is decided
	 * @param policy the policy as it is defined
	 * @param store where its keys are
	 */
	PolicyVersions(StoreRateLimiter limiter, RateLimitPolicy policy, RateLimitStore store) {
		this.limiter = limiter;
		this.store = store;
		RateLimitStates states = store.open(policy);
		this.defined = new PolicyVersion(limiter, policy, states,
				Shadow.of(policy, states, null, store, limiter.reports));
		this.only = this.defined;
	}

	/**
	 * The version that decides on a key at present, if nothing is known of a call.
	 * @param key the key that is limited
	 */
	PolicyVersion of(String key) {
		return of(key, null, null);
	}

	/**
	 * The version that decides on a key at present: that of an override of the key, else
	 * of its plan, else of the policy.
	 * @param key the key that is limited
	 * @param expressions what is known of the place that is called, or {@code null} if a
	 * limiter is asked by hand
	 * @param context the call, or {@code null} if a limiter is asked by hand
	 */
	PolicyVersion of(String key, @Nullable CallExpressions expressions, @Nullable RateLimitContext context) {
		PolicyVersion only = this.only;
		return (only != null) ? only : choose(key, expressions, context);
	}

	private PolicyVersion choose(String key, @Nullable CallExpressions expressions,
			@Nullable RateLimitContext context) {
		OverrideVersions overrides = this.overrides;
		PolicyVersion ofKey = (overrides != null) ? overrides.ofKey(key) : null;
		if (ofKey != null) {
			return ofKey;
		}
		PlanVersions plans = this.plans;
		Plan plan = (plans != null) ? plans.of(key, expressions, context) : null;
		if (plan != null) {
			PolicyVersion ofPlan = (overrides != null) ? overrides.ofPlan(plan.name()) : null;
			return (ofPlan != null) ? ofPlan : plan.version();
		}
		PolicyVersion ofPolicy = (overrides != null) ? overrides.ofPolicy() : null;
		return (ofPolicy != null) ? ofPolicy : this.defined;
	}

	/**
	 * The plans of the policy, if it has any.
	 */
	@Nullable PlanVersions plans() {
		return this.plans;
	}

	/**
	 * Puts another definition in force, for every decision that begins from now on.
	 * @param defined the policy as it is defined from now on
	 * @param plans its plans, if it has any
	 */
	synchronized void define(PolicyVersion defined, @Nullable PlanVersions plans) {
		this.only = null;
		this.plans = plans;
		this.defined = defined;
		findOnly();
	}

	/**
	 * Puts overrides in force, for every decision that begins from now on.
	 * @param overrides all overrides of the policy, or {@code null} if there are none
	 */
	synchronized void override(@Nullable OverrideVersions overrides) {
		this.overrides = overrides;
		findOnly();
	}

	private void findOnly() {
		this.only = (this.plans == null && this.overrides == null) ? this.defined : null;
	}

	/**
	 * Whether calls of one key are always decided alike, so that no call need be known to
	 * choose the version.
	 */
	boolean areOne() {
		return this.plans == null;
	}

	/**
	 * The policy under another definition.
	 * @param policy the policy as it is to be
	 */
	PolicyVersion definition(RateLimitPolicy policy) {
		RateLimitStates states = open(policy);
		return new PolicyVersion(this.limiter, policy, states,
				Shadow.of(policy, states, this.defined, this.store, this.limiter.reports));
	}

	/**
	 * A version with other numbers.
	 * @param policy the policy with these numbers
	 * @return the version; that of the policy as it was defined, if the numbers are its
	 * own
	 */
	PolicyVersion version(RateLimitPolicy policy) {
		if (policy.equals(this.defined.policy)) {
			return this.defined;
		}
		RateLimitStates states = open(policy);
		Shadow tried = policy.shadowLimits().isEmpty() ? null : this.defined.shadow;
		return new PolicyVersion(this.limiter, policy, states,
				(policy.mode() == RateLimitMode.ENFORCE) ? tried : new Shadow(policy, states, this.limiter.reports));
	}

	/*
	 * States that go on with what a key has taken, if the store can.
	 */
	private RateLimitStates open(RateLimitPolicy policy) {
		RateLimitStates states = this.defined.states.under(policy);
		return (states != null) ? states : this.store.open(policy);
	}

}
