package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.policy.PlanSettings;
import org.jspecify.annotations.Nullable;

/**
 * Creates the plans of {@code ratelimit.policies}, and the settings of
 * {@code ratelimit.plans}.
 */
final class ConfiguredPlans {

	private ConfiguredPlans() {
	}

	static PlanSettings settings(RateLimitProperties.Plans plans, @Nullable RateLimitPlanResolver resolver,
			RateLimitClock clock) {
		Bounds.check("plans.refresh", plans.refresh(), Duration.ofSeconds(1), Duration.ofDays(1),
				"Set it to how long the plan of a caller is remembered, from 1s to 1d.");
		Bounds.check("plans.timeout", plans.timeout(), Duration.ZERO, Duration.ofSeconds(10),
				"Set it to how long a request waits to learn its caller's plan, from 0 to 10s.");
		Bounds.check("plans.maximum-size", plans.maximumSize(), 1L, null,
				"Set it to the number of keys of each policy whose plans are remembered, from 1.");
		return new PlanSettings(resolver, plans.refresh(), plans.timeout(), plans.maximumSize(), clock);
	}

	/**
	 * Creates the plans of a policy.
	 * @param policy the policy
	 * @param path the property that holds the policy
	 * @param resolver whether a bean may say who has which
	 * @return the plans by name
	 */
	static Map<String, RateLimitPlan> of(RateLimitProperties.Policy policy, String path, boolean resolver) {
		Map<String, RateLimitPlan> plans = new LinkedHashMap<>();
		policy.plans()
			.forEach((name, plan) -> plans.put(name, plan(plan, path + ".plans" + ConfiguredPolicies.element(name))));
		if (!plans.isEmpty() && policy.plan() == null && !resolver) {
			throw InvalidRateLimitException.property(path + ".plans", null,
					"has plans that nobody has: the policy has no plan expression, and there is no "
							+ "RateLimitPlanResolver bean",
					"Set '" + path + ".plan' to an expression such as claim('plan'), or declare such a bean.", null);
		}
		return plans;
	}

	private static RateLimitPlan plan(RateLimitProperties.Plan plan, String path) {
		List<RateLimit> limits = ConfiguredLimits.of(plan, path);
		if (plan.unlimited() && !limits.isEmpty()) {
			throw InvalidRateLimitException.property(path + ".unlimited", true,
					"cannot be used together with limits of the plan", "Remove unlimited, or the limits of the plan.",
					null);
		}
		if (!plan.unlimited() && limits.isEmpty()) {
			throw InvalidRateLimitException.property(path, null,
					"has no limits, so that it is not known what the plan allows",
					"Set '" + path + ".limits', or '" + path + ".unlimited' to true.", null);
		}
		return plan.unlimited() ? RateLimitPlan.unlimited() : RateLimitPlan.of(limits);
	}

}
