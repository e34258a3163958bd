package io.github.ratelimit;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Finds what is wrong with a policy.
 */
final class PolicyCheck {

	private static final int LONGEST_NAME = 128;

	/* As many as Redis can decide on together. */
	private static final int MOST_LIMITS = 16;

	/* Servers and Spring Security reject paths with these, however they are encoded. */
	private static final String UNREACHABLE = "/\\;%";

	private PolicyCheck() {
	}

	/**
	 * Checks a policy before anybody sees it.
	 * @throws InvalidRateLimitException if it is not valid
	 */
	static void check(RateLimitPolicy policy) {
		checkName(policy);
		checkKey(policy);
		if (policy.limits().isEmpty()) {
			throw new InvalidRateLimitException("limits", policy.limits(),
					"has no entry, so that the policy would do nothing",
					"Give the policy '" + policy.name() + "' at least one limit.");
		}
		if (policy.limits().size() > MOST_LIMITS) {
			throw tooMany("limits", policy.limits());
		}
		checkCharge(policy);
		checkShadow(policy);
		checkPlans(policy);
	}

	private static InvalidRateLimitException tooMany(String attribute, List<RateLimit> limits) {
		return new InvalidRateLimitException(attribute, limits.size() + " entries", "is too long",
				"Use at most " + MOST_LIMITS + " limits, which is as many as are decided together.");
	}

	/**
	 * Whether a text can name a policy or a plan.
	 */
	static boolean isName(String name) {
		return !name.isBlank() && name.length() <= LONGEST_NAME && !name.equals(".") && !name.equals("..")
				&& name.chars().allMatch((c) -> c >= ' ' && c <= '~' && UNREACHABLE.indexOf(c) < 0);
	}

	private static void checkName(RateLimitPolicy policy) {
		if (!isName(policy.name())) {
			throw new InvalidRateLimitException("name", '"' + policy.name() + '"',
					"cannot name a policy, because it is sent in headers and asked for in the path of the endpoint",
					"Use 1 to " + LONGEST_NAME + " printable ASCII characters, such as login, other than / \\ ; and %, "
							+ "and not . or .. alone.");
		}
	}

	private static void checkKey(RateLimitPolicy policy) {
		if (policy.key() != null && policy.key().isBlank()) {
			throw new InvalidRateLimitException("key", '"' + policy.key() + '"', "is blank",
					"Remove it for the default key, or write an expression such as clientAddress.");
		}
	}

	/*
	 * A place in a queue, once others stand behind it, cannot be refunded.
	 */
	private static void checkCharge(RateLimitPolicy policy) {
		if (policy.charge() == null) {
			return;
		}
		if (policy.charge().isBlank()) {
			throw new InvalidRateLimitException("charge", '"' + policy.charge() + '"', "is blank",
					"Remove it to charge each request what it costs, or write an expression such as status >= 400.");
		}
		Stream<RateLimit> ofPlans = policy.plans().values().stream().flatMap((plan) -> plan.limits().stream());
		Stream<RateLimit> own = Stream.of(policy.limits(), policy.shadowLimits()).flatMap(List::stream);
		if (Stream.concat(own, ofPlans).anyMatch(RateLimit::delays)) {
			throw new InvalidRateLimitException("charge", '"' + policy.charge() + '"',
					"cannot be used with a leaky bucket that makes requests wait",
					"Set nodelay on the leaky bucket, use another algorithm, or remove the charge.");
		}
	}

	private static void checkShadow(RateLimitPolicy policy) {
		if (policy.shadowLimits().size() > MOST_LIMITS) {
			throw tooMany("shadow-limits", policy.shadowLimits());
		}
		if (policy.mode() == RateLimitMode.SHADOW && !policy.shadowLimits().isEmpty()) {
			throw new InvalidRateLimitException("shadow-limits", policy.shadowLimits(),
					"cannot be used in the mode shadow, in which the policy's limits are only tried already",
					"Write the numbers to try as the policy's limits and remove shadow-limits; "
							+ "or set mode to enforce, and limits to the numbers to enforce meanwhile.");
		}
	}

	private static void checkPlans(RateLimitPolicy policy) {
		for (Map.Entry<String, RateLimitPlan> plan : policy.plans().entrySet()) {
			String name = plan.getKey();
			if (!isName(name)) {
				throw new InvalidRateLimitException("plans", '"' + name + '"',
						"cannot name a plan, because it is asked for in the path of the endpoint",
						"Use 1 to " + LONGEST_NAME
								+ " printable ASCII characters, such as pro, other than / \\ ; and %, "
								+ "and not . or .. alone.");
			}
			if (plan.getValue().limits().size() > MOST_LIMITS) {
				throw tooMany("limits", plan.getValue().limits()).inPlan(name);
			}
		}
		if (policy.plan() == null) {
			return;
		}
		if (policy.plan().isBlank()) {
			throw new InvalidRateLimitException("plan", '"' + policy.plan() + '"', "is blank",
					"Remove it, or write an expression such as claim('plan').");
		}
		if (policy.plans().isEmpty()) {
			throw new InvalidRateLimitException("plan", '"' + policy.plan() + '"',
					"chooses among plans, but the policy has none",
					"Give the policy '" + policy.name() + "' plans, such as plans.pro.limits, or remove plan.");
		}
	}

}
