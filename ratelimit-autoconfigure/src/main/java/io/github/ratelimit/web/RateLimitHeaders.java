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
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.request.Acquisition;

/**
 * Puts decisions into the header fields that tell a client about its limits. Knows no web
 * stack.
 * <p>
 * A further field of every response is a {@link HeaderName}, and a line where its family
 * is set here. It is set at every call, because a later call only overwrites.
 *
 * @since 0.1.0
 */
public final class RateLimitHeaders {

	/* What the IETF's draft calls the only policy in its examples. */
	private static final String NAMELESS = "default";

	/* Plans and overrides make several of a policy. */
	private static final int MOST_TEXTS = 16_384;

	private final ConcurrentMap<RateLimitPolicy, PolicyText> texts = new ConcurrentHashMap<>();

	private final ConcurrentMap<String, String> aliases = new ConcurrentHashMap<>();

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
		RateLimitPolicy policy = limiter.policy();
		this.aliases.put(policy.name(), (limiter instanceof StoreRateLimiter store) ? store.alias() : nextAlias());
		policy.underAllPlans().forEach(this::render);
	}

	/**
	 * Sets the fields that every response has that a policy applied to. Of a policy whose
	 * store could not decide, nothing is known.
	 * @param entries what the policies said; the fields are set once for all of them
	 * @param fields the response's
	 */
	public void write(List<Acquisition.Entry> entries, HeaderFieldSetter fields) {
		if (!this.rateLimit && !this.xRateLimit) {
			return;
		}
		byte[] policies = FieldValue.NONE;
		byte[] standings = FieldValue.NONE;
		LimitStatus tightest = null;
		DraftItem tightestItem = null;
		long leastRemaining = 0;
		byte[] least = FieldValue.NONE;
		for (int i = 0; i < entries.size(); i++) {
			RateLimitDecision decision = entries.get(i).decision();
			boolean rejected = !decision.allowed();
			if (rejected && decision.unavailable()) {
				continue;
			}
			PolicyText text = text(entries.get(i).policy());
			policies = (policies.length == 0) ? text.header : FieldValue.joined(policies, text.header);
			// of one limit, and of a ban, the decision itself tells
			List<LimitStatus> limits = (text.items.length == 1 || rejected && decision.banned()) ? null
					: decision.limits();
			int count = (limits != null) ? Math.min(limits.size(), text.items.length) : text.items.length;
			for (int j = 0; j < count; j++) {
				LimitStatus limit = (limits != null) ? limits.get(j) : decision;
				long remaining = limit.remaining();
				byte[] digits = FieldValue.of(remaining);
				if (this.listed) {
					byte[] standing = text.items[j].standing(limit, remaining, digits);
					standings = (standings.length == 0) ? standing : FieldValue.joined(standings, standing);
				}
				if (tightest == null || isTighter(limit, remaining, tightest, leastRemaining)) {
					tightest = limit;
					tightestItem = text.items[j];
					leastRemaining = remaining;
					least = digits;
				}
			}
		}
		if (tightest == null || tightestItem == null) {
			return;
		}
		// copies, because Tomcat writes into what it is given
		if (this.rateLimit) {
			fields.set(HeaderName.RATE_LIMIT_POLICY, (this.listed ? policies : tightestItem.policy).clone());
			fields.set(HeaderName.RATE_LIMIT,
					this.listed ? standings : tightestItem.standing(tightest, leastRemaining, least));
		}
		if (this.xRateLimit) {
			fields.set(HeaderName.X_RATE_LIMIT_LIMIT, tightestItem.capacity.clone());
			fields.set(HeaderName.X_RATE_LIMIT_REMAINING, least);
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
		fields.set(HeaderName.RETRY_AFTER, FieldValue.of(retryAfter));
		if (this.xRateLimit) {
			fields.set(HeaderName.X_RATE_LIMIT_RETRY_AFTER, FieldValue.of(retryAfter));
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

	private long reset(LimitStatus limit) {
		long nanos = limit.resetAfterNanos();
		return DraftItem.seconds((this.reset == ResetFormat.EPOCH) ? this.clock.nanos() + nanos : nanos);
	}

	private static boolean isTighter(LimitStatus limit, long remaining, LimitStatus than, long thanRemaining) {
		if (limit.allowed() != than.allowed()) {
			return than.allowed();
		}
		return (remaining != thanRemaining) ? remaining < thanRemaining
				: limit.resetAfterNanos() > than.resetAfterNanos();
	}

	PolicyText text(RateLimitPolicy policy) {
		PolicyText text = this.texts.get(policy);
		return (text != null) ? text : render(policy);
	}

	/* For policies that somebody else than our registry has defined. */
	private String nextAlias() {
		return "p" + (this.aliases.size() + 1);
	}

	/*
	 * Where numbers changed so often that most texts must be out of use, all are rendered
	 * anew.
	 */
	private PolicyText render(RateLimitPolicy policy) {
		PolicyText text = new PolicyText(policy, switch (this.names) {
			case FULL -> PolicyText.names(policy.name(), policy);
			case SHORT -> PolicyText.names(this.aliases.computeIfAbsent(policy.name(), (name) -> nextAlias()), policy);
			case NONE -> Collections.nCopies(policy.limits().size(), NAMELESS);
		});
		if (this.texts.size() >= MOST_TEXTS) {
			this.texts.clear();
		}
		this.texts.put(policy, text);
		return text;
	}

}
