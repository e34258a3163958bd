package io.github.ratelimit.actuate;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.support.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * Description of a policy.
 *
 * @param key the key expression
 * @param limits the limits, which are decided together
 * @param appliedTo the rules, methods, routes and calls of chat models that the policy is
 * applied to, each with the key, cost, condition and charge of its own; if there are
 * none, only code that calls its limiter is limited
 * @param requests the number of requests since the start, by outcome
 * @param recent the number of requests of the last ten minutes, by what really became of
 * them, and how many would have been rejected by what is tried; or {@code null} if
 * nothing is known of them yet
 * @param allInstances the same numbers of all instances that share the store, or
 * {@code null} if it is not shared
 * @param keys the number of keys that have a state, or {@code null} if the store cannot
 * count them
 * @param evictions the number of keys that were evicted while they still counted
 * @param alias what the policy is called where clients are told short names
 * @param ban the ban of keys that do not stop, or {@code null} if no key is banned
 * @param mode whether the policy is enforced
 * @param shadow what is decided in shadow, or {@code null} if nothing is
 * @param plan the expression for the caller's plan, or {@code null} if there is none
 * @param plans the plans that callers may have, by name, or {@code null} if there are
 * none
 * @param warnAt the shares of each limit of which it is told when a key has used them,
 * such as {@code 80%}, or {@code null} if there are none
 * @param maxWait the longest that a request waits for a permit which is reserved for it,
 * in seconds, or {@code null} if none waits
 * @param overrides what is overridden, of the keys at most 100; {@code null} if nothing
 * is
 */
record PolicyDescriptor(String key, List<LimitDescriptor> limits, List<AppliedDescriptor> appliedTo,
		Map<String, Long> requests, @Nullable Map<String, Long> recent, @Nullable PolicyCounts allInstances,
		@Nullable Long keys, long evictions, @Nullable String alias, @Nullable BanDescriptor ban, String mode,
		@Nullable ShadowDescriptor shadow, @Nullable String plan, @Nullable Map<String, PlanDescriptor> plans,
		@Nullable List<String> warnAt, @Nullable BigDecimal maxWait, @Nullable List<OverrideDescriptor> overrides) {

	static PolicyDescriptor of(StoreRateLimiter limiter, String key, @Nullable Map<String, Long> recent,
			@Nullable PolicyCounts allInstances, @Nullable List<OverrideDescriptor> overrides) {
		RateLimitPolicy policy = limiter.policy();
		RateLimitShadow shadow = limiter.shadow();
		ShadowDescriptor tried = (shadow != null) ? ShadowDescriptor.of(shadow) : null;
		BanDescriptor ban = (policy.ban() != null) ? BanDescriptor.of(policy.ban()) : null;
		long counted = limiter.keys();
		Long keys = (counted >= 0) ? counted : null;

		List<AppliedDescriptor> appliedTo = limiter.locations().stream().map(AppliedDescriptor::of).toList();

		return new PolicyDescriptor(key, LimitDescriptor.of(policy.limits()), appliedTo, requests(limiter::count),
				recent, allInstances, keys, limiter.evictions(), limiter.alias(), ban, policy.mode().id(), tried,
				policy.plan(), PlanDescriptor.of(policy), warnAt(policy), maxWait(policy), overrides);
	}

	private static @Nullable List<String> warnAt(RateLimitPolicy policy) {
		if (policy.warnAt().isEmpty()) {
			return null;
		}
		return policy.warnAt().stream().map((share) -> share + "%").toList();
	}

	private static @Nullable BigDecimal maxWait(RateLimitPolicy policy) {
		return policy.maxWait().isZero() ? null : DurationText.seconds(policy.maxWait());
	}

	static Map<String, Long> requests(ToLongFunction<RateLimitOutcome> count) {
		Map<String, Long> requests = new TreeMap<>();
		for (RateLimitOutcome outcome : RateLimitOutcome.values()) {
			requests.put(outcome.id(), count.applyAsLong(outcome));
		}
		return requests;
	}

	/**
	 * A description of where a policy is applied: to a rule, a method, a route, or the
	 * calls of chat models. A key or charge that is {@code null} is the policy's.
	 *
	 * @param place the location, in a few words
	 * @param key the key in place of the policy's, or {@code null}
	 * @param cost the cost, or {@code null} if none is written: one permit, or of a chat
	 * model what the call may use at most
	 * @param condition the condition, or {@code null} if the policy always applies
	 * @param charge the charge in place of the policy's, or {@code null}
	 * @param chargeEach the charge for each element in place of the policy's, or
	 * {@code null}
	 */
	record AppliedDescriptor(String place, @Nullable String key, @Nullable String cost, @Nullable String condition,
			@Nullable String charge, @Nullable String chargeEach) {

		private static AppliedDescriptor of(AppliedLocation applied) {
			return new AppliedDescriptor(applied.location(), applied.key(), applied.cost(), applied.condition(),
					applied.charge(), applied.chargeEach());
		}

	}

	/**
	 * Description of a plan.
	 *
	 * @param unlimited whether the policy does not limit callers of the plan
	 * @param limits the limits of the plan; empty if there are none
	 */
	record PlanDescriptor(boolean unlimited, List<LimitDescriptor> limits) {

		static @Nullable Map<String, PlanDescriptor> of(RateLimitPolicy policy) {
			Map<String, PlanDescriptor> plans = new LinkedHashMap<>();
			policy.plans()
				.forEach((name, plan) -> plans.put(name,
						new PlanDescriptor(plan.isUnlimited(), LimitDescriptor.of(plan.limits()))));
			return plans.isEmpty() ? null : plans;
		}

	}

	/**
	 * Description of a ban. Times are in seconds.
	 *
	 * @param after the number of rejections that begin a ban
	 * @param within the time in which these must come
	 * @param duration how long the first ban lasts
	 * @param multiplier how many times as long each further ban lasts
	 * @param max the longest ban
	 */
	record BanDescriptor(int after, BigDecimal within, BigDecimal duration, double multiplier, BigDecimal max) {

		static BanDescriptor of(RateLimitBan ban) {
			return new BanDescriptor(ban.after(), DurationText.seconds(ban.within()),
					DurationText.seconds(ban.duration()), ban.multiplier(), DurationText.seconds(ban.max()));
		}

	}

	/**
	 * Description of what a policy decides in shadow.
	 *
	 * @param limits the limits that are tried
	 * @param requests the number of requests since the start, by the outcome that they
	 * would have had
	 * @param rejectedKeys the number of different keys that would have been rejected
	 * since the start, an estimate with a standard error of 3.1 %
	 * @param dropped the number of decisions that were not made, because the store was
	 * unavailable or too many were under way
	 */
	record ShadowDescriptor(List<LimitDescriptor> limits, Map<String, Long> requests, long rejectedKeys, long dropped) {

		static ShadowDescriptor of(RateLimitShadow shadow) {
			return new ShadowDescriptor(LimitDescriptor.of(shadow.policy().limits()),
					PolicyDescriptor.requests(shadow::count), shadow.rejectedKeys(), shadow.dropped());
		}

	}

}
