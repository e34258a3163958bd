package io.github.ratelimit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.ratelimit.support.DurationText;
import org.jspecify.annotations.Nullable;

import static io.github.ratelimit.InvalidRateLimitException.require;

/**
 * A name, a key, and one or more limits that are decided together: all agree, or nothing
 * is taken.
 * <p>
 * Immutable and valid: an invalid name, an invalid key or the lack of a limit is rejected
 * when the policy is built.
 *
 * @param name the policy's name
 * @param key the expression for the key that is limited, or {@code null} for the
 * application's default
 * @param charge the expression for what a request is charged in the end, once its outcome
 * is known, or {@code null} if a request is charged what it costs. With a charge for each
 * element it is their sum, {@code charged}, unless the policy is told otherwise
 * @param chargeEach the expression for what each element of a stream is charged, or
 * {@code null} if elements are not counted
 * @param limits the limits that are decided together, in their order, at least one
 * @param ban the ban of keys that do not stop, or {@code null} if no key is banned
 * @param mode whether the policy's decisions have consequences;
 * {@link RateLimitMode#ENFORCE} unless the policy is told otherwise
 * @param shadowLimits limits that are tried on the same requests, while the policy's own
 * are enforced, in their order; empty if none are
 * @param plan the expression for the plan that the caller has, or {@code null} if there
 * is none; then a {@link RateLimitPlanResolver} may say which
 * @param plans the plans that callers may have, by name and in their order; empty if all
 * callers have the same limits. A caller that has none of them has the policy's own
 * @param warnAt the shares of each limit, in percent and ascending, of which it is told
 * when a key has used them; empty if nothing is told
 * @param maxWait the longest that a request waits for a permit which is reserved for it,
 * from a millisecond to an hour; zero if none waits, or only in a leaky bucket
 * @since 0.1.0
 * @see #of(String, RateLimit...)
 * @see #builder(String)
 */
public record RateLimitPolicy(String name, @Nullable String key, @Nullable String charge, @Nullable String chargeEach,
		List<RateLimit> limits, @Nullable RateLimitBan ban, RateLimitMode mode, List<RateLimit> shadowLimits,
		@Nullable String plan, Map<String, RateLimitPlan> plans, List<Integer> warnAt, Duration maxWait) {

	/* Ends a name that no other policy can have. */
	private static final String SHADOW = "/shadow";

	/* The charge that is the sum of the charges for each element. */
	private static final String CHARGED = "charged";

	private static final int MAX_NAME_LENGTH = 128;

	/* Redis can decide on so many together. */
	private static final int MAX_LIMITS = 16;

	/* Servers and Spring Security reject paths with the others, however encoded. */
	private static final Pattern NAME = Pattern.compile("[ -~&&[^/\\\\;%]]{1," + MAX_NAME_LENGTH + "}");

	/**
	 * Creates a policy of which everything is known.
	 * @throws InvalidRateLimitException if a part is invalid
	 */
	public RateLimitPolicy {
		limits = List.copyOf(limits);
		shadowLimits = List.copyOf(shadowLimits);
		plans = Collections.unmodifiableMap(new LinkedHashMap<>(plans));
		warnAt = warnAt.stream().sorted().toList();
		checkName(withoutSuffix(name, mode));
		checkNotBlank("key", key, "for the default key, or write an expression such as clientAddress.");

		require(!limits.isEmpty(), "limits", limits, "has no entry, so that the policy would do nothing",
				"Give the policy '" + name + "' at least one limit.");
		checkNumber("limits", limits);
		checkNumber("shadow-limits", shadowLimits);
		require(mode != RateLimitMode.SHADOW || shadowLimits.isEmpty(), "shadow-limits", shadowLimits,
				"cannot be used in the mode shadow, in which the policy's limits are only tried already",
				"Write the numbers to try as the policy's limits and remove shadow-limits; "
						+ "or set mode to enforce, and limits to the numbers to enforce meanwhile.");

		checkShares(warnAt);
		plans.forEach(RateLimitPolicy::checkPlan);
		checkNotBlank("plan", plan, "or write an expression such as claim('plan').");
		require(plan == null || !plans.isEmpty(), "plan", '"' + plan + '"',
				"chooses among plans, but the policy has none",
				"Give the policy '" + name + "' plans, such as plans.pro.limits, or remove plan.");

		checkNotBlank("charge", charge,
				"to charge each request what it costs, or write an expression such as status >= 400.");
		checkNotBlank("charge-each", chargeEach,
				"to count no elements, or write an expression such as result.tokens().");
		if (chargeEach != null && charge == null) {
			charge = CHARGED;
		}
		if (mode == RateLimitMode.INFORM) {
			checkNobodyIsKeptOut(ban, limits, plans.values());
		}
		if (charge != null) {
			checkNoneDelays(charge, limits, shadowLimits, plans.values());
		}
		MaxWait.check(maxWait, mode, charge != null);
		checkReserved(maxWait, limits, shadowLimits, plans.values());
	}

	private static void checkReserved(Duration maxWait, List<RateLimit> limits, List<RateLimit> shadowLimits,
			Collection<RateLimitPlan> plans) {
		MaxWait.check(maxWait, limits);
		MaxWait.check(maxWait, shadowLimits);
		plans.forEach((plan) -> MaxWait.check(maxWait, plan.limits()));
	}

	/* A policy that tries another one's shadow limits has its name with a suffix. */
	private static String withoutSuffix(String name, RateLimitMode mode) {
		if (mode == RateLimitMode.SHADOW && name.endsWith(SHADOW)) {
			return name.substring(0, name.length() - SHADOW.length());
		}
		return name;
	}

	private static void checkPlan(String name, RateLimitPlan plan) {
		checkName("plans", name, "a plan", "is asked for in the path of the endpoint", "pro");
		checkNumber("plans" + InvalidRateLimitException.element(name) + ".limits", plan.limits());
	}

	private static void checkShares(List<Integer> warnAt) {
		int before = 0;
		for (int share : warnAt) {
			require(share >= 1 && share <= 100, "warn-at", share + "%", "is no share of a limit that a key can use up",
					"Use 1% to 100%, such as 80%.");
			require(share != before, "warn-at", share + "%", "is there twice", "Write each share once.");
			before = share;
		}
	}

	private static void checkNoneDelays(String charge, List<RateLimit> limits, List<RateLimit> shadowLimits,
			Collection<RateLimitPlan> plans) {
		checkNoneDelays(charge, limits);
		checkNoneDelays(charge, shadowLimits);
		plans.forEach((plan) -> checkNoneDelays(charge, plan.limits()));
	}

	/* A position in a queue, once others stand behind it, cannot be refunded. */
	private static void checkNoneDelays(String charge, List<RateLimit> limits) {
		require(limits.stream().noneMatch(RateLimit::delays), "charge", '"' + charge + '"',
				"cannot be used with a leaky bucket that makes requests wait",
				"Set nodelay on the leaky bucket, use another algorithm, or remove the charge.");
	}

	private static void checkNobodyIsKeptOut(@Nullable RateLimitBan ban, List<RateLimit> limits,
			Collection<RateLimitPlan> plans) {
		require(ban == null, "ban", String.valueOf(ban), "has no effect in the mode inform, which rejects nobody",
				"Remove the ban, or set mode to enforce.");
		checkNobodyWaits(limits);
		plans.forEach((plan) -> checkNobodyWaits(plan.limits()));
	}

	private static void checkNobodyWaits(List<RateLimit> limits) {
		require(limits.stream().noneMatch(RateLimit::delays), "mode", RateLimitMode.INFORM.id(),
				"cannot be used with a leaky bucket that makes requests wait",
				"Set nodelay on the leaky bucket, use another algorithm, or set mode to enforce.");
	}

	private static void checkName(String name) {
		checkName("name", name, "a policy", "is sent in headers and asked for in the path of the endpoint", "login");
	}

	private static void checkName(String attribute, String name, String what, String reason, String example) {
		require(isName(name), attribute, '"' + name + '"', "cannot name " + what + ", because it " + reason,
				"Use 1 to " + MAX_NAME_LENGTH + " printable ASCII characters, such as " + example
						+ ", other than / \\ ; and %, and not . or .. alone.");
	}

	private static void checkNotBlank(String attribute, @Nullable String expression, String action) {
		require(expression == null || !expression.isBlank(), attribute, '"' + expression + '"', "is blank",
				"Remove it " + action);
	}

	private static void checkNumber(String attribute, List<RateLimit> limits) {
		require(limits.size() <= MAX_LIMITS, attribute, limits.size() + " entries", "is too long",
				"Use at most " + MAX_LIMITS + " limits, which is as many as are decided together.");
	}

	/*
	 * Nearly all policies have names of their own, while a record reads all of its parts.
	 */
	@Override
	public int hashCode() {
		return this.name.hashCode();
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
		return NAME.matcher(name).matches() && !name.isBlank() && !name.equals(".") && !name.equals("..");
	}

	/**
	 * The policy that tries the {@link #shadowLimits()}: with them as its limits, and the
	 * key, charge, ban and longest wait of this one. Its name is this one's with
	 * {@code /shadow}, which no other policy can have. It warns of nothing.
	 * @return a policy in shadow, or {@code null} if there are no shadow limits
	 */
	public @Nullable RateLimitPolicy shadow() {
		if (this.shadowLimits.isEmpty()) {
			return null;
		}
		return alone(this.name + SHADOW, this.shadowLimits, RateLimitMode.SHADOW, List.of());
	}

	/**
	 * The policy as it is for callers of a plan: with the plan's limits, and the key,
	 * charge, ban, mode, warnings and longest wait of this one. It has no plans, and no
	 * shadow limits, which are tried in place of the policy's own.
	 * @param name the plan's name
	 * @return a policy of the same name, or {@code null} if the plan is unlimited or
	 * there is none of that name
	 */
	public @Nullable RateLimitPolicy underPlan(String name) {
		RateLimitPlan plan = this.plans.get(name);
		if (plan == null || plan.isUnlimited()) {
			return null;
		}
		return alone(this.name, plan.limits(), this.mode, this.warnAt);
	}

	/*
	 * Without shadow limits and plans.
	 */
	private RateLimitPolicy alone(String name, List<RateLimit> limits, RateLimitMode mode, List<Integer> warnAt) {
		return new RateLimitPolicy(name, this.key, this.charge, this.chargeEach, limits, this.ban, mode, List.of(),
				null, Map.of(), warnAt, this.maxWait);
	}

	/**
	 * The policy as it is for callers without a plan.
	 * @return a policy without plans and shadow limits
	 */
	public RateLimitPolicy withoutPlans() {
		return alone(this.name, this.limits, this.mode, this.warnAt);
	}

	/**
	 * The same policy with other limits, such as those of a plan.
	 * @param limits the limits
	 * @return the policy
	 * @throws InvalidRateLimitException if the policy cannot have them: for example, if
	 * there are none or too many, or one makes requests wait that are charged by outcome
	 */
	public RateLimitPolicy withLimits(Collection<RateLimit> limits) {
		return new RateLimitPolicy(this.name, this.key, this.charge, this.chargeEach, List.copyOf(limits), this.ban,
				this.mode, this.shadowLimits, this.plan, this.plans, this.warnAt, this.maxWait);
	}

	/**
	 * The same policy in another mode. In {@link RateLimitMode#SHADOW} there are no
	 * shadow limits beside its own.
	 * @param mode the mode
	 * @return the policy
	 * @throws InvalidRateLimitException if the policy cannot have it: for example, if it
	 * is to inform, and bans keys or makes requests wait
	 */
	public RateLimitPolicy withMode(RateLimitMode mode) {
		if (mode == this.mode) {
			return this;
		}
		List<RateLimit> shadowLimits = (mode != RateLimitMode.SHADOW) ? this.shadowLimits : List.of();
		return new RateLimitPolicy(this.name, this.key, this.charge, this.chargeEach, this.limits, this.ban, mode,
				shadowLimits, this.plan, this.plans, this.warnAt, this.maxWait);
	}

	/**
	 * The most permits that can pass in one instant. A request of more can never pass.
	 * @return the smallest of the limits' capacities
	 */
	public long capacity() {
		return this.limits.stream().mapToLong(RateLimit::capacity).min().orElseThrow();
	}

	/**
	 * Whether an allowed request may have to wait first, whatever its caller's plan. In
	 * shadow none has to.
	 * @return {@code true} if one of the limits delays, or permits are reserved
	 */
	public boolean delays() {
		return !longestDelay().isZero();
	}

	/**
	 * The longest that an allowed request may have to wait, whatever its caller's plan.
	 * In shadow none has to.
	 * @return the longest of the limits' delays, or the {@link #maxWait()}
	 */
	public Duration longestDelay() {
		if (this.mode == RateLimitMode.SHADOW) {
			return Duration.ZERO;
		}
		if (!this.maxWait.isZero()) {
			return this.maxWait;
		}
		Stream<RateLimit> all = Stream.concat(this.limits.stream(),
				this.plans.values().stream().flatMap((plan) -> plan.limits().stream()));
		return all.map(RateLimit::longestDelay).max(Comparator.naturalOrder()).orElseThrow();
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder(this.name);
		append(text, " by ", this.key);
		text.append(": ").append(this.limits);
		append(text, ", charged ", this.charge);
		append(text, ", each element ", this.chargeEach);
		append(text, ", ", this.ban);
		switch (this.mode) {
			case SHADOW -> text.append(", in shadow");
			case INFORM -> text.append(", informs");
			case ENFORCE -> {
			}
		}
		if (!this.shadowLimits.isEmpty()) {
			append(text, ", in shadow ", this.shadowLimits);
		}
		if (!this.plans.isEmpty()) {
			append(text, ", plans ", this.plans);
		}
		append(text, " by ", this.plan);
		if (!this.warnAt.isEmpty()) {
			append(text, ", warns at ", percent(this.warnAt));
		}
		if (!this.maxWait.isZero()) {
			append(text, ", lets wait for ", DurationText.of(this.maxWait));
		}
		return text.toString();
	}

	private static String percent(List<Integer> shares) {
		return shares.stream().map((share) -> share + "%").collect(Collectors.joining(", "));
	}

	private static void append(StringBuilder text, String separator, @Nullable Object part) {
		if (part != null) {
			text.append(separator).append(part);
		}
	}

	/**
	 * Describes a policy step by step.
	 */
	public static final class Builder {

		private final String name;

		private final List<RateLimit> limits = new ArrayList<>();

		private @Nullable String key;

		private @Nullable String charge;

		private @Nullable String chargeEach;

		private @Nullable RateLimitBan ban;

		private final List<RateLimit> shadowLimits = new ArrayList<>();

		private RateLimitMode mode = RateLimitMode.ENFORCE;

		private @Nullable String plan;

		private final Map<String, RateLimitPlan> plans = new LinkedHashMap<>();

		private final List<Integer> warnAt = new ArrayList<>();

		private Duration maxWait = Duration.ZERO;

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
		 * Charges each element of a stream when it passes to the caller.
		 * @param chargeEach the expression, such as {@code result.tokens()}, of which
		 * {@code result} is the element; the {@link #charge} reads the sum as
		 * {@code charged}, and is the sum if there is none. Or {@code null} to count no
		 * elements
		 * @return this builder
		 */
		public Builder chargeEach(@Nullable String chargeEach) {
			this.chargeEach = chargeEach;
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
		 * Adds shares of each limit of which it is told when a key has used them, as a
		 * {@link RateLimitThresholdEvent}.
		 * @param shares the shares in percent, each from 1 to 100: 100 once a key has
		 * used its last permit
		 * @return this builder
		 */
		public Builder warnAt(int... shares) {
			for (int share : shares) {
				this.warnAt.add(share);
			}
			return this;
		}

		/**
		 * Lets requests wait that would be allowed within a time: a permit is reserved
		 * for each, in the order in which they come. The policy has a single limit then,
		 * of any algorithm but the leaky bucket, which has a queue of its own.
		 * @param maxWait the longest wait, from a millisecond to an hour, or
		 * {@link Duration#ZERO} to let none wait
		 * @return this builder
		 */
		public Builder maxWait(Duration maxWait) {
			this.maxWait = maxWait;
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
		 * requests wait is to be charged by outcome, if a policy in shadow has shadow
		 * limits, if one that informs bans keys or makes requests wait, if a share to
		 * warn at is none or is there twice, or if requests cannot wait for a limit
		 */
		public RateLimitPolicy build() {
			checkName(this.name);
			return new RateLimitPolicy(this.name, this.key, this.charge, this.chargeEach, this.limits, this.ban,
					this.mode, this.shadowLimits, this.plan, this.plans, this.warnAt, this.maxWait);
		}

	}

}
