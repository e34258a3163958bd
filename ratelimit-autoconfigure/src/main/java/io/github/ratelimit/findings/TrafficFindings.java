package io.github.ratelimit.findings;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToLongFunction;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;

/**
 * What shows only after traffic: looks at what the policies have counted, from time to
 * time, on no request's thread.
 *
 * @since 0.1.0
 */
public final class TrafficFindings {

	private static final long MONTH = Duration.ofDays(30).toNanos();

	private static final long HOUR = Duration.ofHours(1).toNanos();

	private static final long LEAST_REQUESTS = 1000;

	private final RateLimiterRegistry registry;

	private final RateLimitClock clock;

	private final RateLimitFindings findings;

	/* When each policy was first seen as it is: by its mode and name. */
	private Map<String, Long> since = Map.of();

	/**
	 * Creates the check.
	 * @param registry has the policies
	 * @param clock tells for how long they have been there
	 * @param findings where findings are added
	 */
	public TrafficFindings(RateLimiterRegistry registry, RateLimitClock clock, RateLimitFindings findings) {
		this.registry = registry;
		this.clock = clock;
		this.findings = findings;
	}

	/**
	 * Looks at every policy.
	 */
	public synchronized void look() {
		long now = this.clock.nanos();
		Map<String, Long> since = new HashMap<>();
		for (RateLimiter limiter : this.registry.policies()) {
			String policy = limiter.policy().mode() + " " + limiter.policy().name();
			long first = this.since.getOrDefault(policy, now);
			since.put(policy, first);
			lookAtExpressions(limiter);
			lookAtOutcomes(limiter, now - first);
		}
		this.since = since;
	}

	/*
	 * The log has these since they happened.
	 */
	private void lookAtExpressions(RateLimiter limiter) {
		String policy = limiter.policy().name();
		for (RateLimitExpression expression : RateLimitExpression.values()) {
			if (limiter.failures(expression) > 0) {
				this.findings.note(FindingCode.FAILED_EXPRESSION, policy, policy + " " + expression.id(),
						"The " + expression.id() + " of the policy '" + policy
								+ "' has failed. The log says why, and the metric ratelimit.expression.failures how "
								+ "often.");
			}
		}
		if (limiter.unknownPlans() > 0) {
			this.findings.note(FindingCode.UNKNOWN_PLAN, policy, policy, "Callers of the policy '" + policy
					+ "' were said to have a plan that it does not have, so that its own limits decided.");
		}
	}

	private void lookAtOutcomes(RateLimiter limiter, long age) {
		String name = limiter.policy().name();
		RateLimitShadow shadow = limiter.shadow();
		boolean inShadow = limiter.policy().mode() == RateLimitMode.SHADOW;
		ToLongFunction<RateLimitOutcome> count = (inShadow && shadow != null) ? shadow::count : limiter::count;
		long delayed = count.applyAsLong(RateLimitOutcome.DELAYED);
		long passed = count.applyAsLong(RateLimitOutcome.ALLOWED) + delayed;
		long rejected = count.applyAsLong(RateLimitOutcome.REJECTED) + count.applyAsLong(RateLimitOutcome.BANNED)
				+ count.applyAsLong(RateLimitOutcome.QUEUE_FULL);
		boolean unreached = age >= MONTH && delayed + rejected == 0;
		String policy = "The policy '" + name + "' ";
		String would = policy + (inShadow ? "would have " : "has ");
		report(limiter.evictions() > 0, FindingCode.EVICTED_KEYS, name,
				policy + "has forgotten keys that still counted, for lack of room: they have all their permits again.");
		report(inShadow && age >= MONTH, FindingCode.LONG_IN_SHADOW, name,
				policy + "has only been tried, in shadow, for 30 days.");
		report(unreached && passed > 0, FindingCode.NEVER_REACHED, name,
				would + "rejected and delayed nobody for 30 days.");
		report(unreached && passed == 0 && limiter.appliedTo().isEmpty(), FindingCode.UNUSED_POLICY, name,
				"No rule and no annotation applies the policy '" + name + "', and no code has asked it for 30 days.");
		report(age >= HOUR && rejected > passed && rejected + passed >= LEAST_REQUESTS, FindingCode.REJECTS_MOST, name,
				would + "rejected more requests than it allowed.");
	}

	private void report(boolean found, FindingCode code, String policy, String message) {
		if (found) {
			this.findings.report(code, policy, policy, message);
		}
	}

}
