package io.github.ratelimit.web;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.enforce.Acquisition;
import org.jspecify.annotations.Nullable;

/**
 * Puts decisions into the header fields that tell a client about its limits. Knows no web
 * stack: fields are handed to whoever sets them.
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
	 * Sets the fields that every response has that a policy applied to.
	 * @param asked what the policies said; the fields are set once for all of them
	 * @param fields sets a field, in place of any earlier value; is given the array, in
	 * ASCII
	 */
	public void write(List<Acquisition.Entry> asked, BiConsumer<HeaderName, byte[]> fields) {
		List<Acquisition.Entry> entries = decided(asked);
		if (entries.isEmpty() || !this.rateLimit && !this.xRateLimit) {
			return;
		}
		FieldValue policies = new FieldValue();
		FieldValue standings = new FieldValue();
		LimitStatus tightest = null;
		byte[] tightestLimit = {};
		for (int i = 0; i < entries.size(); i++) {
			PolicyText text = text(entries.get(i).request().limiter().policy());
			List<LimitStatus> limits = entries.get(i).decision().limits();
			policies.add(text.header());
			for (int j = 0; j < limits.size(); j++) {
				LimitStatus limit = limits.get(j);
				standings.add(text.quoted(j), limit.remaining(), seconds(limit.nextPermitAfterNanos()));
				if (isTighter(limit, tightest)) {
					tightest = limit;
					tightestLimit = text.limit(j);
				}
			}
		}
		if (this.rateLimit) {
			fields.accept(HeaderName.RATE_LIMIT_POLICY, policies.bytes());
			fields.accept(HeaderName.RATE_LIMIT, standings.bytes());
		}
		if (this.xRateLimit && tightest != null) {
			fields.accept(HeaderName.X_RATE_LIMIT_LIMIT, tightestLimit.clone());
			fields.accept(HeaderName.X_RATE_LIMIT_REMAINING, FieldValue.of(tightest.remaining()));
			fields.accept(HeaderName.X_RATE_LIMIT_RESET, FieldValue.of(seconds(tightest.resetAfterNanos())));
		}
	}

	/**
	 * Sets the fields that tell a rejected client when to come back; none if never.
	 * @param decision the decision that rejected
	 * @param fields sets a field, in place of any earlier value; is given the array, in
	 * ASCII
	 */
	public void writeRetry(RateLimitDecision decision, BiConsumer<HeaderName, byte[]> fields) {
		long retryAfter = retryAfterSeconds(decision);
		if (retryAfter == 0) {
			return;
		}
		byte[] seconds = FieldValue.of(retryAfter);
		fields.accept(HeaderName.RETRY_AFTER, seconds);
		if (this.xRateLimit) {
			fields.accept(HeaderName.X_RATE_LIMIT_RETRY_AFTER, seconds.clone());
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
		long retry = decision.retryAfterNanos();
		List<LimitStatus> limits = decision.limits();
		for (int i = 0; i < limits.size(); i++) {
			LimitStatus limit = limits.get(i);
			retry = limit.allowed() ? retry : Math.max(retry, limit.nextPermitAfterNanos());
		}
		return Math.max(1, seconds(retry));
	}

	/*
	 * Of a policy whose store could not decide, nothing is known.
	 */
	private static List<Acquisition.Entry> decided(List<Acquisition.Entry> asked) {
		for (int i = 0; i < asked.size(); i++) {
			if (asked.get(i).decision().unavailable()) {
				return asked.stream().filter((entry) -> !entry.decision().unavailable()).toList();
			}
		}
		return asked;
	}

	private static boolean isTighter(LimitStatus limit, @Nullable LimitStatus than) {
		if (than == null) {
			return true;
		}
		if (limit.allowed() != than.allowed()) {
			return than.allowed();
		}
		return limit.remaining() < than.remaining()
				|| limit.remaining() == than.remaining() && limit.resetAfterNanos() > than.resetAfterNanos();
	}

	PolicyText text(RateLimitPolicy policy) {
		PolicyText text = this.texts.get(policy.name());
		if (text == null || !text.isOf(policy)) {
			text = new PolicyText(policy);
			this.texts.put(policy.name(), text);
		}
		return text;
	}

	private static long seconds(long nanos) {
		return nanos / SECOND + ((nanos % SECOND > 0) ? 1 : 0);
	}

}
