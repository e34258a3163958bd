package io.github.ratelimit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * A name, a key, and one or more limits that are decided together: all agree, or nothing
 * is taken.
 * <p>
 * Immutable and valid: an invalid name, an invalid key or the lack of a limit is rejected
 * when the policy is built.
 *
 * @since 0.1.0
 * @see #of(String, RateLimit...)
 * @see #builder(String)
 */
public final class RateLimitPolicy {

	/* Makes a name that no other policy can have. */
	private static final String SHADOW = "/shadow";

	private final String name;

	private final @Nullable String key;

	private final @Nullable String charge;

	private final List<RateLimit> limits;

	private final @Nullable RateLimitBan ban;

	private final RateLimitMode mode;

	private final List<RateLimit> shadowLimits;

	private final @Nullable String plan;

	private final Map<String, RateLimitPlan> plans;

	/* Header fields look policies up for each response. */
	private final int hash;

	private RateLimitPolicy(Builder builder) {
		this.name = builder.name;
		this.key = builder.key;
		this.charge = builder.charge;
		this.limits = List.copyOf(builder.limits);
		this.ban = builder.ban;
		this.mode = builder.mode;
		this.shadowLimits = List.copyOf(builder.shadowLimits);
		this.plan = builder.plan;
		this.plans = Collections.unmodifiableMap(new LinkedHashMap<>(builder.plans));
		this.hash = hash();
	}

	/**
	 * Creates a policy with the default key.
	 * @param name the policy's name
	 * @param limits its limits
	 * @return the policy
	 * @throws InvalidRateLimitException if the name is invalid or there is no limit
	 */
	public static RateLimitPolicy of(String name, RateLimit... limits) {
		return builder(name).limits(List.of(limits)).build();
	}

	/**
	 * Starts to describe a policy.
	 * @param name what the policy is called in headers, metrics and the endpoint:
	 * printable ASCII, at most 128 characters, without slashes, backslashes, semicolons
	 * and percent signs, and neither {@code .} nor {@code ..}
	 * @return a builder that needs at least one limit
	 */
	public static Builder builder(String name) {
		return new Builder(name);
	}

	/**
	 * Whether a text can name a policy.
	 * @param name the text
	 * @return {@code true} if a policy can have that name
	 */
	public static boolean isName(String name) {
		return PolicyCheck.isName(name);
	}

	/**
	 * The policy's name.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * The expression for the key that is limited.
	 * @return the expression, or {@code null} for the application's default
	 */
	public @Nullable String key() {
		return this.key;
	}

	/**
	 * The expression for what a request is charged in the end, once its outcome is known.
	 * @return the expression, or {@code null} if a request is charged what it costs
	 */
	public @Nullable String charge() {
		return this.charge;
	}

	/**
	 * The limits that are decided together.
	 * @return the limits in their order, at least one
	 */
	public List<RateLimit> limits() {
		return this.limits;
	}

	/**
	 * The ban of keys that do not stop.
	 * @return the ban, or {@code null} if no key is banned
	 */
	public @Nullable RateLimitBan ban() {
		return this.ban;
	}

	/**
	 * Whether the policy's decisions have consequences.
	 * @return the mode; {@link RateLimitMode#ENFORCE} unless the policy is told otherwise
	 */
	public RateLimitMode mode() {
		return this.mode;
	}

	/**
	 * Limits that are tried on the same requests, while the policy's own are enforced.
	 * @return the limits in their order; empty if none are
	 */
	public List<RateLimit> shadowLimits() {
		return this.shadowLimits;
	}

	/**
	 * The policy that tries the {@link #shadowLimits()}: with them as its limits, and the
	 * key, charge and ban of this one. Its name is this one's with {@code /shadow}, which
	 * no other policy can have.
	 * @return a policy in shadow, or {@code null} if there are no shadow limits
	 */
	public @Nullable RateLimitPolicy shadow() {
		return this.shadowLimits.isEmpty() ? null : alone(this.name + SHADOW, this.shadowLimits, RateLimitMode.SHADOW);
	}

	/**
	 * The expression for the plan that the caller has.
	 * @return the expression, or {@code null} if there is none; then a
	 * {@link RateLimitPlanResolver} may say which
	 */
	public @Nullable String plan() {
		return this.plan;
	}

	/**
	 * The plans that callers may have. A caller that has none of them has the policy's
	 * own {@link #limits()}.
	 * @return the plans by name, in their order; empty if all callers have the same
	 * limits
	 */
	public Map<String, RateLimitPlan> plans() {
		return this.plans;
	}

	/**
	 * The policy as it is for callers of a plan: with the plan's limits, and the key,
	 * charge, ban and mode of this one. It has no plans, and no shadow limits, which are
	 * tried in place of the policy's own.
	 * @param name the plan's name
	 * @return a policy of the same name, or {@code null} if the plan is unlimited or
	 * there is none of that name
	 */
	public @Nullable RateLimitPolicy underPlan(String name) {
		RateLimitPlan plan = this.plans.get(name);
		return (plan == null || plan.isUnlimited()) ? null : alone(this.name, plan.limits(), this.mode);
	}

	/*
	 * Without shadow limits and plans.
	 */
	private RateLimitPolicy alone(String name, List<RateLimit> limits, RateLimitMode mode) {
		return new RateLimitPolicy(
				new Builder(name).key(this.key).charge(this.charge).ban(this.ban).mode(mode).limits(limits));
	}

	/**
	 * The policy as it is for all who call: for those without a plan, and for those of
	 * each plan that has limits.
	 * @return this policy, and one for each such plan
	 */
	public List<RateLimitPolicy> underAllPlans() {
		List<RateLimitPolicy> policies = new ArrayList<>();
		policies.add(this);
		for (String plan : this.plans.keySet()) {
			RateLimitPolicy policy = underPlan(plan);
			if (policy != null) {
				policies.add(policy);
			}
		}
		return policies;
	}

	/**
	 * The same policy with other limits, such as those of a plan.
	 * @param limits the limits
	 * @return the policy
	 * @throws InvalidRateLimitException if there is no limit, or if one makes requests
	 * wait that is to be charged by outcome
	 */
	public RateLimitPolicy withLimits(Collection<RateLimit> limits) {
		PolicyCheck.check(alone(this.name, List.copyOf(limits), this.mode));
		return with(limits, this.mode);
	}

	/**
	 * The same policy in another mode. In {@link RateLimitMode#SHADOW} there are no
	 * shadow limits beside its own.
	 * @param mode the mode
	 * @return the policy
	 */
	public RateLimitPolicy withMode(RateLimitMode mode) {
		return with(this.limits, mode);
	}

	private RateLimitPolicy with(Collection<RateLimit> limits, RateLimitMode mode) {
		Builder builder = new Builder(this.name).key(this.key).charge(this.charge).ban(this.ban).mode(mode);
		if (mode == RateLimitMode.ENFORCE) {
			builder.shadowLimits(this.shadowLimits);
		}
		return new RateLimitPolicy(builder.limits(limits).plan(this.plan).plans(this.plans));
	}

	/**
	 * The most permits that can pass in one instant. A request of more can never pass.
	 * @return the smallest of the limits' capacities
	 */
	public long capacity() {
		return this.limits.stream().mapToLong(RateLimit::capacity).min().orElseThrow();
	}

	/**
	 * Whether an allowed request may have to wait first. In shadow none has to.
	 * @return {@code true} if one of the limits delays
	 */
	public boolean delays() {
		if (this.mode == RateLimitMode.ENFORCE) {
			for (RateLimit limit : this.limits) {
				if (limit.delays()) {
					return true;
				}
			}
		}
		return false;
	}

	/**
	 * The longest that an allowed request may have to wait. In shadow none has to.
	 * @return the longest of the limits' delays
	 */
	public Duration longestDelay() {
		return (this.mode == RateLimitMode.SHADOW) ? Duration.ZERO
				: this.limits.stream().map(RateLimit::longestDelay).max(Comparator.naturalOrder()).orElseThrow();
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other || other instanceof RateLimitPolicy that && this.name.equals(that.name)
				&& Objects.equals(this.key, that.key) && Objects.equals(this.charge, that.charge)
				&& this.limits.equals(that.limits) && Objects.equals(this.ban, that.ban) && this.mode == that.mode
				&& this.shadowLimits.equals(that.shadowLimits) && Objects.equals(this.plan, that.plan)
				&& this.plans.equals(that.plans);
	}

	@Override
	public int hashCode() {
		return this.hash;
	}

	private int hash() {
		return Objects.hash(this.name, this.key, this.charge, this.limits, this.ban, this.mode, this.shadowLimits,
				this.plan, this.plans);
	}

	@Override
	public String toString() {
		return this.name + ((this.key != null) ? " by " + this.key : "") + ": " + this.limits
				+ ((this.charge != null) ? ", charged " + this.charge : "")
				+ ((this.ban != null) ? ", " + this.ban : "")
				+ ((this.mode == RateLimitMode.SHADOW) ? ", in shadow" : "")
				+ (this.shadowLimits.isEmpty() ? "" : ", in shadow " + this.shadowLimits)
				+ (this.plans.isEmpty() ? "" : ", plans " + this.plans)
				+ ((this.plan != null) ? " by " + this.plan : "");
	}

	/**
	 * Describes a policy step by step.
	 */
	public static final class Builder {

		private final String name;

		private final List<RateLimit> limits = new ArrayList<>();

		private @Nullable String key;

		private @Nullable String charge;

		private @Nullable RateLimitBan ban;

		private final List<RateLimit> shadowLimits = new ArrayList<>();

		private RateLimitMode mode = RateLimitMode.ENFORCE;

		private @Nullable String plan;

		private final Map<String, RateLimitPlan> plans = new LinkedHashMap<>();

		Builder(String name) {
			this.name = name;
		}

		/**
		 * Sets the expression for the key that is limited.
		 * @param key the expression, such as {@code clientAddress}, or {@code null} for
		 * the application's default
		 * @return this builder
		 */
		public Builder key(@Nullable String key) {
			this.key = key;
			return this;
		}

		/**
		 * Charges requests by their outcome: a request takes its cost when it comes, and
		 * is settled when it is over.
		 * @param charge the expression, such as {@code status >= 400}: {@code true} for
		 * what was taken, {@code false} for nothing, or the number of permits; or
		 * {@code null} to charge what a request costs
		 * @return this builder
		 */
		public Builder charge(@Nullable String charge) {
			this.charge = charge;
			return this;
		}

		/**
		 * Bans keys that do not stop.
		 * @param ban after how many rejections, and for how long, or {@code null} for no
		 * ban
		 * @return this builder
		 */
		public Builder ban(@Nullable RateLimitBan ban) {
			this.ban = ban;
			return this;
		}

		/**
		 * Says whether the policy's decisions have consequences.
		 * @param mode the mode
		 * @return this builder
		 */
		public Builder mode(RateLimitMode mode) {
			this.mode = mode;
			return this;
		}

		/**
		 * Adds limits to try on the same requests, while the others are enforced.
		 * @param limits the limits
		 * @return this builder
		 */
		public Builder shadowLimits(Collection<RateLimit> limits) {
			this.shadowLimits.addAll(limits);
			return this;
		}

		/**
		 * Sets the expression for the plan that the caller has. It sees what a key sees.
		 * @param plan the expression, such as {@code claim('plan')}, or {@code null} for
		 * none
		 * @return this builder
		 */
		public Builder plan(@Nullable String plan) {
			this.plan = plan;
			return this;
		}

		/**
		 * Adds plans that callers may have.
		 * @param plans the plans by name, such as {@code pro}
		 * @return this builder
		 */
		public Builder plans(Map<String, RateLimitPlan> plans) {
			this.plans.putAll(plans);
			return this;
		}

		/**
		 * Adds a limit.
		 * @param limit the limit
		 * @return this builder
		 */
		public Builder limit(RateLimit limit) {
			this.limits.add(limit);
			return this;
		}

		/**
		 * Adds limits.
		 * @param limits the limits
		 * @return this builder
		 */
		public Builder limits(Collection<RateLimit> limits) {
			this.limits.addAll(limits);
			return this;
		}

		/**
		 * Builds the policy.
		 * @return the policy
		 * @throws InvalidRateLimitException if the name, the key, the charge, the plan or
		 * the name of a plan is invalid, if there is no limit, if a limit that makes
		 * requests wait is to be charged by outcome, or if a policy in shadow has shadow
		 * limits
		 */
		public RateLimitPolicy build() {
			RateLimitPolicy policy = new RateLimitPolicy(this);
			PolicyCheck.check(policy);
			return policy;
		}

	}

}
