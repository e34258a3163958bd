package io.github.ratelimit.web;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.enforce.Acquisition;

/**
 * Puts decisions into the header fields that tell a client about its limits. Knows no web
 * stack.
 *
 * @since 0.1.0
 */
public final class RateLimitHeaders {

	private static final long SECOND = 1_000_000_000L;

	private final ConcurrentMap<String, PolicyText> texts = new ConcurrentHashMap<>();

	private final boolean rateLimit;

	private final boolean xRateLimit;

	/**
	 * Creates the headers.
	 * @param families which families to send; with none, only {@code Retry-After} is
	 */
	public RateLimitHeaders(Collection<HeaderFamily> families) {
		this.rateLimit = families.contains(HeaderFamily.RATE_LIMIT);
		this.xRateLimit = families.contains(HeaderFamily.X_RATE_LIMIT);
	}

	/**
	 * Renders what does not change about a policy, ahead of its first request.
	 * @param policy the policy
	 */
	public void prepare(RateLimitPolicy policy) {
		this.texts.put(policy.name(), new PolicyText(policy));
	}

	/**
	 * Sets the fields that every response has that a policy applied to. Of a policy whose
	 * store could not decide, nothing is known.
	 * @param entries what the policies said; the fields are set once for all of them
	 * @param fields the response's
	 */
	public void write(List<Acquisition.Entry> entries, HeaderFieldSetter fields) {
		if (entries.isEmpty() || !this.rateLimit && !this.xRateLimit) {
			return;
		}
		FieldValue policies = new FieldValue();
		FieldValue standings = new FieldValue();
		LimitStatus tightest = null;
		byte[] tightestLimit = {};
		for (int i = 0; i < entries.size(); i++) {
			RateLimitDecision decision = entries.get(i).decision();
			if (decision.unavailable()) {
				continue;
			}
			PolicyText text = text(entries.get(i).request().limiter().policy());
			policies.add(text.header);
			List<LimitStatus> limits = decision.limits();
			for (int j = 0; j < Math.min(limits.size(), text.quoted.length); j++) {
				LimitStatus limit = limits.get(j);
				standings.add(text.quoted[j], limit.remaining(), seconds(limit.nextPermitAfterNanos()));
				if (tightest == null || isTighter(limit, tightest)) {
					tightest = limit;
					tightestLimit = text.limits[j];
				}
			}
		}
		if (tightest == null) {
			return;
		}
		if (this.rateLimit) {
			fields.set(HeaderName.RATE_LIMIT_POLICY, policies.bytes);
			fields.set(HeaderName.RATE_LIMIT, standings.bytes);
		}
		if (this.xRateLimit) {
			fields.set(HeaderName.X_RATE_LIMIT_LIMIT, tightestLimit.clone());
			fields.set(HeaderName.X_RATE_LIMIT_REMAINING, FieldValue.of(tightest.remaining()));
			fields.set(HeaderName.X_RATE_LIMIT_RESET, FieldValue.of(seconds(tightest.resetAfterNanos())));
		}
	}

	/**
	 * Sets the fields that tell a rejected client when to come back; none if never.
	 * @param decision the decision that rejected
	 * @param fields the response's
	 */
	public void writeRetry(RateLimitDecision decision, HeaderFieldSetter fields) {
		long retryAfter = retryAfterSeconds(decision);
		if (retryAfter == 0) {
			return;
		}
		byte[] seconds = FieldValue.of(retryAfter);
		fields.set(HeaderName.RETRY_AFTER, seconds);
		if (this.xRateLimit) {
			fields.set(HeaderName.X_RATE_LIMIT_RETRY_AFTER, seconds.clone());
		}
	}

	/**
	 * When a rejected client may come back, in every protocol.
	 * @param decision the decision that rejected
	 * @return whole seconds, rounded up, at least 1; or 0 if never
	 */
	public static long retryAfterSeconds(RateLimitDecision decision) {
		if (decision.retryAfterNanos() == RateLimitDecision.NEVER) {
			return 0;
		}
		return Math.max(1, seconds(decision.retryAfterNanos()));
	}

	private static boolean isTighter(LimitStatus limit, LimitStatus than) {
		if (limit.allowed() != than.allowed()) {
			return than.allowed();
		}
		return limit.remaining() < than.remaining()
				|| limit.remaining() == than.remaining() && limit.resetAfterNanos() > than.resetAfterNanos();
	}

	PolicyText text(RateLimitPolicy policy) {
		PolicyText text = this.texts.get(policy.name());
		if (text == null || text.policy != policy && !text.policy.equals(policy)) {
			text = new PolicyText(policy);
			this.texts.put(policy.name(), text);
		}
		return text;
	}

	private static long seconds(long nanos) {
		return nanos / SECOND + ((nanos % SECOND > 0) ? 1 : 0);
	}

}
