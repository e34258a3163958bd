package io.github.ratelimit.web;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.enforce.Acquisition;
import io.github.ratelimit.enforce.StoreRateLimiter;

/**
 * Puts decisions into the header fields that tell a client about its limits. Knows no web
 * stack.
 * <p>
 * A further field is a {@link HeaderName}, and a line where its family is set here.
 *
 * @since 0.1.0
 */
public final class RateLimitHeaders {

	/* What the IETF's draft calls the only policy in its examples. */
	private static final String NAMELESS = "default";

	private final ConcurrentMap<String, PolicyText> texts = new ConcurrentHashMap<>();

	private final boolean rateLimit;

	private final boolean xRateLimit;

	/* Whether the draft's fields have all limits, and not only the tightest. */
	private final boolean listed;

	private final ResetFormat reset;

	private final PolicyNames names;

	private final RateLimitClock clock;

	/**
	 * Creates the headers, with resets in seconds and full names.
	 * @param families which families to send; with none, only {@code Retry-After} is
	 */
	public RateLimitHeaders(Collection<HeaderFamily> families) {
		this(families, ResetFormat.SECONDS, PolicyNames.FULL, RateLimitClock.system());
	}

	/**
	 * Creates the headers.
	 * @param families which families to send; with none, only {@code Retry-After} is
	 * @param reset how {@code X-RateLimit-Reset} tells a time
	 * @param names what to call policies
	 * @param clock tells the time, where a field has it
	 */
	public RateLimitHeaders(Collection<HeaderFamily> families, ResetFormat reset, PolicyNames names,
			RateLimitClock clock) {
		this.rateLimit = families.contains(HeaderFamily.RATE_LIMIT);
		this.xRateLimit = families.contains(HeaderFamily.X_RATE_LIMIT);
		this.listed = this.rateLimit && names != PolicyNames.NONE;
		this.reset = reset;
		this.names = names;
		this.clock = clock;
	}

	/**
	 * Renders what does not change about a policy, ahead of its first request.
	 * @param limiter the policy's limiter
	 */
	public void prepare(RateLimiter limiter) {
		render(limiter.policy(), (limiter instanceof StoreRateLimiter store) ? store.alias() : nextAlias());
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
		PolicyText tightestText = null;
		int tightestIndex = 0;
		for (int i = 0; i < entries.size(); i++) {
			RateLimitDecision decision = entries.get(i).decision();
			if (decision.unavailable()) {
				continue;
			}
			PolicyText text = text(entries.get(i).request().limiter().policy());
			if (this.listed) {
				policies.add(text.header);
			}
			List<LimitStatus> limits = decision.limits();
			for (int j = 0; j < Math.min(limits.size(), text.items.length); j++) {
				LimitStatus limit = limits.get(j);
				if (this.listed) {
					standings.add(text.items[j], limit.remaining(), text.items[j].effectiveWindow(limit));
				}
				if (tightest == null || isTighter(limit, tightest)) {
					tightest = limit;
					tightestText = text;
					tightestIndex = j;
				}
			}
		}
		if (tightest == null || tightestText == null) {
			return;
		}
		if (this.rateLimit && !this.listed) {
			DraftItem only = tightestText.items[tightestIndex];
			policies.add(only.policy);
			standings.add(only, tightest.remaining(), only.effectiveWindow(tightest));
		}
		if (this.rateLimit) {
			fields.set(HeaderName.RATE_LIMIT_POLICY, policies.bytes);
			fields.set(HeaderName.RATE_LIMIT, standings.bytes);
		}
		if (this.xRateLimit) {
			fields.set(HeaderName.X_RATE_LIMIT_LIMIT, tightestText.capacities[tightestIndex].clone());
			fields.set(HeaderName.X_RATE_LIMIT_REMAINING, FieldValue.of(tightest.remaining()));
			fields.set(HeaderName.X_RATE_LIMIT_RESET, FieldValue.of(reset(tightest)));
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
		return Math.max(1, DraftItem.seconds(decision.retryAfterNanos()));
	}

	/**
	 * Whether a response may have the fields.
	 * @param status the response's status
	 * @return {@code false} for a redirection, which a client is to follow at once
	 */
	public static boolean isSentWith(int status) {
		return DraftItem.isSentWith(status);
	}

	private long reset(LimitStatus limit) {
		long nanos = limit.resetAfterNanos();
		return DraftItem.seconds((this.reset == ResetFormat.EPOCH) ? this.clock.nanos() + nanos : nanos);
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
			text = render(policy, (text != null) ? text.alias : nextAlias());
		}
		return text;
	}

	/* For policies that somebody else than our registry has defined. */
	private String nextAlias() {
		return "p" + (this.texts.size() + 1);
	}

	private PolicyText render(RateLimitPolicy policy, String alias) {
		PolicyText text = new PolicyText(policy, alias, switch (this.names) {
			case FULL -> LimitNames.of(policy.name(), policy);
			case SHORT -> LimitNames.of(alias, policy);
			case NONE -> Collections.nCopies(policy.limits().size(), NAMELESS);
		});
		this.texts.put(policy.name(), text);
		return text;
	}

}
