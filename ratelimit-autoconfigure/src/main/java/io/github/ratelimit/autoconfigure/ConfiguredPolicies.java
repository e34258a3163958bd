package io.github.ratelimit.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Creates the policies of {@code ratelimit.policies}.
 */
final class ConfiguredPolicies {

	/* Other names need brackets, without which characters would be dropped. */
	private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z0-9_-]+");

	private ConfiguredPolicies() {
	}

	static void register(RateLimitProperties properties, RateLimiterRegistry limiter, boolean resolver,
			AnnotatedNumbers annotated) {
		forEach(properties, resolver, annotated, limiter::register);
	}

	/**
	 * Passes each policy to something that may find it invalid, too.
	 */
	static void forEach(RateLimitProperties properties, boolean resolver, AnnotatedNumbers annotated,
			Consumer<RateLimitPolicy> consumer) {
		properties.policies().forEach((name, policy) -> convert(name, policy, resolver, annotated, consumer));
	}

	static void convert(String name, RateLimitProperties.Policy policy, boolean resolver, AnnotatedNumbers annotated,
			Consumer<RateLimitPolicy> consumer) {
		String path = property(name);
		RateLimitPolicy converted = policy(name, policy, path, resolver, annotated);
		try {
			consumer.accept(converted);
		}
		catch (InvalidRateLimitException ex) {
			throw asWritten(ex, policy).inProperty(path);
		}
	}

	static String property(String name) {
		return "ratelimit.policies" + element(name);
	}

	/**
	 * Speaks of a single limit as it is written, without the list that it becomes.
	 */
	static InvalidRateLimitException asWritten(InvalidRateLimitException ex, RateLimitProperties.Policy policy) {
		String attribute = ex.attribute();
		boolean single = attribute.startsWith("plans")
				? policy.plans()
					.entrySet()
					.stream()
					.anyMatch((plan) -> attribute.startsWith("plans" + element(plan.getKey()) + ".")
							&& ConfiguredLimits.areSingle(plan.getValue()))
				: attribute.startsWith("limits") && ConfiguredLimits.areSingle(policy);
		return single ? ex.inSingleLimit() : ex;
	}

	static String element(String name) {
		return PLAIN_NAME.matcher(name).matches() ? "." + name : "[" + name + "]";
	}

	private static RateLimitPolicy policy(String name, RateLimitProperties.Policy policy, String path, boolean resolver,
			AnnotatedNumbers annotated) {
		List<RateLimit> limits = annotated.limits(name, policy, path);
		List<RateLimit> shadowLimits = ConfiguredLimits.of(policy.shadowLimits(), path + ".shadow-limits");
		Map<String, RateLimitPlan> plans = ConfiguredPlans.of(policy, path, resolver);
		try {
			return RateLimitPolicy.builder(name)
				.key(policy.key())
				.charge(policy.charge())
				.limits(limits)
				.ban(ban(policy.ban()))
				.mode(annotated.mode(name, policy))
				.shadowLimits(shadowLimits)
				.plan(policy.plan())
				.plans(plans)
				.build();
		}
		catch (InvalidRateLimitException ex) {
			throw ex.attribute().equals("name")
					? InvalidRateLimitException.property(path, null, ex.reason(), ex.action(), ex)
					: ex.inProperty(path);
		}
	}

	private static @Nullable RateLimitBan ban(RateLimitProperties.@Nullable Ban ban) {
		return (ban == null) ? null
				: RateLimitBan.builder()
					.after(ban.after())
					.within(ban.within())
					.duration(ban.duration())
					.multiplier(ban.multiplier())
					.max(ban.max())
					.build();
	}

}
