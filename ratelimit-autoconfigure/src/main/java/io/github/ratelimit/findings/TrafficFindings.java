package io.github.ratelimit.findings;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
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
 * Finds what shows only after traffic. From time to time, it looks at what the policies
 * have counted, on no request's thread.
 *
 * @since 0.1.0
 */
public final class TrafficFindings {

	private static final long MONTH = Duration.ofDays(30).toNanos();

	private static final long HOUR = Duration.ofHours(1).toNanos();

	private static final long MIN_REQUESTS = 1000;

	private final RateLimiterRegistry registry;

	private final RateLimitClock clock;

	private final RateLimitFindings findings;

	/* The time when each policy was first seen as it is, by its mode and name. */
	private Map<String, Long> since = Map.of();

	/**
	 * Creates the check.
	 * @param registry has the policies
	 * @param clock the time, for how long each has been there
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
			lookAtKeys(limiter);
			lookAtOutcomes(limiter, now - first);
		}
		this.since = since;
	}

	/**
	 * Looks at every policy once more, and lists all findings until this moment.
	 * @return the findings of any kind, the first ones first
	 */
	public List<RateLimitFinding> list() {
		look();
		return this.findings.list();
	}

	/* The log has had these since they happened, so that they are only noted. */
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

	private void lookAtKeys(RateLimiter limiter) {
		if (limiter.evictions() > 0) {
			report(FindingCode.EVICTED_KEYS, limiter,
					" has forgotten keys that still counted, for lack of room: they have all their permits again.");
		}
	}

	private void lookAtOutcomes(RateLimiter limiter, long age) {
		RateLimitShadow shadow = limiter.shadow();
		RateLimitMode mode = limiter.policy().mode();
		if (mode != RateLimitMode.SHADOW) {
			String did = (mode == RateLimitMode.ENFORCE) ? " has " : " would have ";
			lookAtOutcomes(limiter, Outcomes.of(limiter::count), did, age);
			return;
		}

		if (age >= MONTH) {
			report(FindingCode.LONG_IN_SHADOW, limiter, " has only been tried, in shadow, for 30 days.");
		}
		ToLongFunction<RateLimitOutcome> count = (shadow != null) ? shadow::count : limiter::count;
		lookAtOutcomes(limiter, Outcomes.of(count), " would have ", age);
	}

	private void lookAtOutcomes(RateLimiter limiter, Outcomes outcomes, String did, long age) {
		if (age >= MONTH && outcomes.delayed + outcomes.rejected == 0) {
			lookAtUnreached(limiter, outcomes, did);
		}
		if (age >= HOUR && outcomes.rejected > outcomes.passed && outcomes.requests() >= MIN_REQUESTS) {
			report(FindingCode.REJECTS_MOST, limiter, did + "rejected more requests than it allowed.");
		}
	}

	private void lookAtUnreached(RateLimiter limiter, Outcomes outcomes, String did) {
		String name = limiter.policy().name();
		if (outcomes.passed > 0) {
			report(FindingCode.NEVER_REACHED, limiter, did + "rejected and delayed nobody for 30 days.");
		}
		else if (limiter.appliedTo().isEmpty()) {
			this.findings.report(FindingCode.UNUSED_POLICY, name, name, "No rule and no annotation applies the policy '"
					+ name + "', and no code has asked it for 30 days.");
		}
	}

	private void report(FindingCode code, RateLimiter limiter, String what) {
		String name = limiter.policy().name();
		this.findings.report(code, name, name, "The policy '" + name + "'" + what);
	}

	/**
	 * The outcomes of requests.
	 *
	 * @param passed the number that passed, at once or delayed
	 * @param delayed the number that passed delayed
	 * @param rejected the number that were rejected, for whatever reason
	 */
	private record Outcomes(long passed, long delayed, long rejected) {

		static Outcomes of(ToLongFunction<RateLimitOutcome> count) {
			long delayed = count.applyAsLong(RateLimitOutcome.DELAYED);
			long rejected = count.applyAsLong(RateLimitOutcome.REJECTED) + count.applyAsLong(RateLimitOutcome.BANNED)
					+ count.applyAsLong(RateLimitOutcome.QUEUE_FULL) + count.applyAsLong(RateLimitOutcome.EXCEEDED);
			return new Outcomes(count.applyAsLong(RateLimitOutcome.ALLOWED) + delayed, delayed, rejected);
		}

		long requests() {
			return this.passed + this.rejected;
		}

	}

}
