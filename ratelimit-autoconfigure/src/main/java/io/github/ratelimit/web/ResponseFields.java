package io.github.ratelimit.web;

import java.util.List;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.request.AcquisitionEntry;
import org.jspecify.annotations.Nullable;

/**
 * The header fields of one request's response, whichever the web stack: the limits that
 * were reported so far, and what the fields say of them.
 * <p>
 * A further field of every response is a {@link HeaderName}, and a line where its family
 * is rendered here. Values are bytes, because these cost less than texts.
 *
 * @since 0.1.0
 */
public abstract class ResponseFields {

	private static final HeaderName[] NAMES = HeaderName.values();

	private final HeaderSettings headers;

	/* The entries that were reported, from the first on. */
	private List<AcquisitionEntry> reported = List.of();

	/* The items of RateLimit-Policy and of RateLimit. */
	private byte[] policies = DraftItem.NONE;

	private byte[] standings = DraftItem.NONE;

	/* The tightest of all limits, its numbers, and what remains of it as text. */
	private @Nullable DraftItem tightest;

	private boolean allowed;

	private long remaining;

	private long resetNanos;

	private byte[] digits = DraftItem.NONE;

	/**
	 * Creates the fields of a response, of which nothing is set.
	 * @param headers which fields there are, and how they say what they say
	 */
	protected ResponseFields(HeaderSettings headers) {
		this.headers = headers;
	}

	/**
	 * Sets a field, in place of any earlier value.
	 * @param name the field's name
	 * @param value the value in ASCII; the array is the response's own from then on
	 */
	protected abstract void set(HeaderName name, byte[] value);

	/**
	 * Sets fields.
	 * @param values the values, by the ordinals of the names; {@code null} for a field
	 * that stays as it is
	 */
	protected void set(byte[] @Nullable [] values) {
		for (HeaderName name : NAMES) {
			byte[] value = values[name.ordinal()];
			if (value != null) {
				set(name, value);
			}
		}
	}

	/**
	 * Sets the fields that every response has that a policy applied to, and those that
	 * tell a rejected client when to come back.
	 * @param entries what the policies said; the fields are set once for all of them
	 * @param rejection the decision that rejected, or {@code null} if none did
	 */
	public final void write(List<AcquisitionEntry> entries, @Nullable RateLimitDecision rejection) {
		byte[] @Nullable [] values = new byte[NAMES.length][];
		if (this.headers.rateLimit || this.headers.xRateLimit) {
			report(entries);
		}

		if (this.tightest != null) {
			render(values, this.tightest);
		}
		if (rejection != null) {
			renderRetryAfter(values, HeaderSettings.retryAfterSeconds(rejection));
		}
		set(values);
	}

	/*
	 * Goes on behind the entries that were reported before, or begins again if the
	 * entries do not start with them.
	 */
	private void report(List<AcquisitionEntry> entries) {
		if (!startsWithReported(entries)) {
			this.reported = List.of();
			this.policies = DraftItem.NONE;
			this.standings = DraftItem.NONE;
			this.tightest = null;
		}

		for (int i = this.reported.size(); i < entries.size(); i++) {
			addPolicy(entries.get(i));
		}
		this.reported = entries;
	}

	private boolean startsWithReported(List<AcquisitionEntry> entries) {
		int count = this.reported.size();
		if (count > entries.size()) {
			return false;
		}
		for (int i = 0; i < count; i++) {
			if (this.reported.get(i) != entries.get(i)) {
				return false;
			}
		}
		return true;
	}

	/*
	 * Nothing is known of a policy whose store could not decide, or where an operator
	 * has.
	 */
	private void addPolicy(AcquisitionEntry entry) {
		RateLimitDecision decision = entry.decision();
		boolean allowed = decision.allowed();
		if (decision.unavailable() || (!allowed && decision.denied())) {
			return;
		}

		PolicyText text = this.headers.text(entry.effectivePolicy());
		this.policies = (this.policies.length == 0) ? text.policyItems
				: DraftItem.joined(this.policies, text.policyItems);

		// the decision itself has what is to be said of one limit, and of a ban
		if (text.items.length == 1 || (!allowed && decision.banned())) {
			for (DraftItem item : text.items) {
				addLimit(item, decision);
			}
			return;
		}
		List<LimitStatus> limits = decision.limits();
		int count = Math.min(limits.size(), text.items.length);
		for (int i = 0; i < count; i++) {
			addLimit(text.items[i], limits.get(i));
		}
	}

	private void addLimit(DraftItem item, LimitStatus limit) {
		boolean allowed = limit.allowed();
		long remaining = limit.remaining();
		long resetNanos = limit.resetAfterNanos();
		byte[] digits = DraftItem.digits(remaining);
		boolean tighter = this.tightest == null || isTighter(allowed, remaining, resetNanos);

		if (tighter && !this.headers.listed) {
			this.standings = DraftItem.NONE;
		}
		if (this.headers.listed || (this.headers.rateLimit && tighter)) {
			long window = item.effectiveWindow(limit, allowed, remaining, resetNanos);
			this.standings = item.appendStanding(this.standings, digits, window);
		}
		if (tighter) {
			this.tightest = item;
			this.allowed = allowed;
			this.remaining = remaining;
			this.resetNanos = resetNanos;
			this.digits = digits;
		}
	}

	/*
	 * Whether a limit is tighter than all that were reported before it: it rejects where
	 * they allow, or has less left, or as much, but for longer.
	 */
	private boolean isTighter(boolean allowed, long remaining, long resetNanos) {
		if (allowed != this.allowed) {
			return this.allowed;
		}
		if (remaining != this.remaining) {
			return remaining < this.remaining;
		}
		return resetNanos > this.resetNanos;
	}

	/*
	 * What all responses share is copied, because Tomcat writes into what it is given.
	 * The rest was rendered for this response alone.
	 */
	private void render(byte[] @Nullable [] values, DraftItem tightest) {
		if (this.headers.rateLimit) {
			byte[] policies = this.headers.listed ? this.policies : tightest.policy;
			values[HeaderName.RATE_LIMIT_POLICY.ordinal()] = policies.clone();
			values[HeaderName.RATE_LIMIT.ordinal()] = this.standings;
		}
		if (this.headers.xRateLimit) {
			long reset = this.resetNanos;
			if (this.headers.reset == ResetFormat.EPOCH) {
				reset += this.headers.clock.nanos();
			}
			values[HeaderName.X_RATE_LIMIT_LIMIT.ordinal()] = tightest.capacity.clone();
			values[HeaderName.X_RATE_LIMIT_REMAINING.ordinal()] = this.digits;
			values[HeaderName.X_RATE_LIMIT_RESET.ordinal()] = DraftItem.digits(DraftItem.seconds(reset));
		}
	}

	private void renderRetryAfter(byte[] @Nullable [] values, long seconds) {
		if (seconds == 0) {
			return;
		}

		values[HeaderName.RETRY_AFTER.ordinal()] = DraftItem.digits(seconds);
		if (this.headers.xRateLimit) {
			values[HeaderName.X_RATE_LIMIT_RETRY_AFTER.ordinal()] = DraftItem.digits(seconds);
		}
	}

}
