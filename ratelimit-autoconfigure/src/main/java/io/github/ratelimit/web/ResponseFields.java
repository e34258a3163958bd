package io.github.ratelimit.web;

import java.util.List;

import io.github.ratelimit.request.Acquisition;
import org.jspecify.annotations.Nullable;

/**
 * The header fields of one request's response, whichever the web stack, and which limits
 * they have reported so far.
 *
 * @since 0.1.0
 */
public abstract class ResponseFields {

	private static final HeaderName[] NAMES = HeaderName.values();

	/* The entries that were reported, from the first on. */
	private List<Acquisition.Entry> reported = List.of();

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
	 * Goes on behind the entries that were reported before, or forgets these unless it is
	 * with them that the entries begin.
	 * @param entries what is to be reported
	 * @return how many of the entries were reported already
	 */
	final int continueWith(List<Acquisition.Entry> entries) {
		int count = this.reported.size();
		boolean continued = startsWithReported(entries);
		this.reported = entries;
		if (continued) {
			return count;
		}

		this.policies = DraftItem.NONE;
		this.standings = DraftItem.NONE;
		this.tightest = null;
		return 0;
	}

	private boolean startsWithReported(List<Acquisition.Entry> entries) {
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

	final void addPolicies(byte[] items) {
		this.policies = (this.policies.length == 0) ? items : DraftItem.joined(this.policies, items);
	}

	final void addStanding(byte[] item) {
		this.standings = (this.standings.length == 0) ? item : DraftItem.joined(this.standings, item);
	}

	/**
	 * Replaces all that was said of RateLimit.
	 */
	final void setStanding(byte[] item) {
		this.standings = item;
	}

	/**
	 * Whether a limit is tighter than all that were reported before it: it rejects where
	 * they allow, or has less left, or as much, but for longer.
	 */
	final boolean isTightest(boolean allowed, long remaining, long resetNanos) {
		if (this.tightest == null) {
			return true;
		}
		if (allowed != this.allowed) {
			return this.allowed;
		}
		if (remaining != this.remaining) {
			return remaining < this.remaining;
		}
		return resetNanos > this.resetNanos;
	}

	final void setTightest(DraftItem item, boolean allowed, long remaining, long resetNanos, byte[] digits) {
		this.tightest = item;
		this.allowed = allowed;
		this.remaining = remaining;
		this.resetNanos = resetNanos;
		this.digits = digits;
	}

	/**
	 * Finds the tightest limit.
	 * @return the limit, or {@code null} if nothing was reported
	 */
	final @Nullable DraftItem tightest() {
		return this.tightest;
	}

	final byte[] policies() {
		return this.policies;
	}

	final byte[] standings() {
		return this.standings;
	}

	/**
	 * Finds what remains of the tightest limit, as text.
	 */
	final byte[] digits() {
		return this.digits;
	}

	/**
	 * Finds the nanoseconds until the tightest limit has all of its permits again.
	 */
	final long resetNanos() {
		return this.resetNanos;
	}

}
