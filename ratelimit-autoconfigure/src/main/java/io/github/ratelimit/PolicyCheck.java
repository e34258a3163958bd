package io.github.ratelimit;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Finds what is wrong with a policy.
 */
final class PolicyCheck {

	/** Makes a name that no other policy can have. */
	static final String SHADOW = "/shadow";

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
		boolean tried = policy.mode() == RateLimitMode.SHADOW;
		checkName((tried && policy.name().endsWith(SHADOW))
				? policy.name().substring(0, policy.name().length() - SHADOW.length()) : policy.name());
		checkNotBlank("key", policy.key(), "for the default key, or write an expression such as clientAddress.");
		InvalidRateLimitException.require(!policy.limits().isEmpty(), "limits", policy.limits(),
				"has no entry, so that the policy would do nothing",
				"Give the policy '" + policy.name() + "' at least one limit.");
		checkNumber("limits", policy.limits());
		checkNumber("shadow-limits", policy.shadowLimits());
		InvalidRateLimitException.require(!tried || policy.shadowLimits().isEmpty(), "shadow-limits",
				policy.shadowLimits(),
				"cannot be used in the mode shadow, in which the policy's limits are only tried already",
				"Write the numbers to try as the policy's limits and remove shadow-limits; "
						+ "or set mode to enforce, and limits to the numbers to enforce meanwhile.");
		checkPlans(policy);
		checkCharge(policy);
	}

	static void checkName(String name) {
		checkName("name", name, "a policy", "is sent in headers and asked for in the path of the endpoint", "login");
	}

	private static void checkName(String attribute, String name, String what, String reason, String example) {
		InvalidRateLimitException.require(isName(name), attribute, '"' + name + '"',
				"cannot name " + what + ", because it " + reason,
				"Use 1 to " + LONGEST_NAME + " printable ASCII characters, such as " + example
						+ ", other than / \\ ; and %, and not . or .. alone.");
	}

	/**
	 * Whether a text can name a policy or a plan.
	 */
	static boolean isName(String name) {
		return !name.isBlank() && name.length() <= LONGEST_NAME && !name.equals(".") && !name.equals("..")
				&& name.chars().allMatch((c) -> c >= ' ' && c <= '~' && UNREACHABLE.indexOf(c) < 0);
	}

	private static void checkNotBlank(String attribute, @Nullable String expression, String action) {
		InvalidRateLimitException.require(expression == null || !expression.isBlank(), attribute,
				'"' + expression + '"', "is blank", "Remove it " + action);
	}

	private static void checkNumber(String attribute, List<RateLimit> limits) {
		InvalidRateLimitException.require(limits.size() <= MOST_LIMITS, attribute, limits.size() + " entries",
				"is too long", "Use at most " + MOST_LIMITS + " limits, which is as many as are decided together.");
	}

	private static void checkPlans(RateLimitPolicy policy) {
		policy.plans().forEach((name, plan) -> {
			checkName("plans", name, "a plan", "is asked for in the path of the endpoint", "pro");
			checkNumber(InvalidRateLimitException.ofPlan(name, "limits"), plan.limits());
		});
		checkNotBlank("plan", policy.plan(), "or write an expression such as claim('plan').");
		InvalidRateLimitException.require(policy.plan() == null || !policy.plans().isEmpty(), "plan",
				'"' + policy.plan() + '"', "chooses among plans, but the policy has none",
				"Give the policy '" + policy.name() + "' plans, such as plans.pro.limits, or remove plan.");
	}

	/*
	 * A place in a queue, once others stand behind it, cannot be refunded.
	 */
	private static void checkCharge(RateLimitPolicy policy) {
		checkNotBlank("charge", policy.charge(),
				"to charge each request what it costs, or write an expression such as status >= 400.");
		Stream<RateLimit> ofPlans = policy.plans().values().stream().flatMap((plan) -> plan.limits().stream());
		Stream<RateLimit> own = Stream.of(policy.limits(), policy.shadowLimits()).flatMap(List::stream);
		InvalidRateLimitException.require(
				policy.charge() == null || Stream.concat(own, ofPlans).noneMatch(RateLimit::delays), "charge",
				'"' + policy.charge() + '"', "cannot be used with a leaky bucket that makes requests wait",
				"Set nodelay on the leaky bucket, use another algorithm, or remove the charge.");
	}

}
