package io.github.ratelimit.store;

import java.util.List;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitOutcome;

/**
 * The common decision of several limits at one moment, and its receipt. The limits add
 * their statuses one after the other; the common one is computed when it is asked for.
 * <p>
 * A decision is made for each request and read a few times at most, so that all statuses
 * are kept in one array.
 *
 * @since 0.1.0
 */
public final class CombinedDecision implements RateLimitDecision, RateLimitReceipt {

	private static final int REMAINING = 0;

	private static final int WAIT = 1;

	private static final int RESET = 2;

	private static final int NEXT = 3;

	private static final int WORDS = 4;

	private static final long REJECTED_FOREVER = Long.MIN_VALUE;

	private final long decidedAtNanos;

	/*
	 * A limit's wait says three things by its sign. Above 0 the limit allows, after a
	 * delay of one less; below 0 it rejects; and 0 is a limit that has yet to be added.
	 */
	private final long[] statuses;

	CombinedDecision(long decidedAtNanos, int limits) {
		this.decidedAtNanos = decidedAtNanos;
		this.statuses = new long[WORDS * limits];
	}

	/**
	 * Adds the status of the next limit.
	 * @param allowed whether it allows the request
	 * @param remaining the number of single-permit requests that would pass now
	 * @param waitNanos how long an allowed request must wait first; the time until a
	 * rejected one would pass, or {@link #NEVER}
	 * @param resetAfterNanos the time until the key has all of its permits again
	 * @param nextPermitAfterNanos the time until {@code remaining} next grows, 0 if it
	 * cannot
	 * @return this decision
	 */
	public RateLimitDecision add(boolean allowed, long remaining, long waitNanos, long resetAfterNanos,
			long nextPermitAfterNanos) {
		int at = 0;
		while (this.statuses[at + WAIT] != 0) {
			at += WORDS;
		}

		this.statuses[at + REMAINING] = remaining;
		this.statuses[at + WAIT] = allowed ? waitNanos + 1 : rejectedWait(waitNanos);
		this.statuses[at + RESET] = resetAfterNanos;
		this.statuses[at + NEXT] = nextPermitAfterNanos;
		return this;
	}

	private static long rejectedWait(long retryAfterNanos) {
		if (retryAfterNanos == NEVER) {
			return REJECTED_FOREVER;
		}
		return -1 - retryAfterNanos;
	}

	private long least(int word) {
		long least = Long.MAX_VALUE;
		for (int at = word; at < this.statuses.length; at += WORDS) {
			least = Math.min(least, this.statuses[at]);
		}
		return least;
	}

	private long longest(int word) {
		long longest = 0;
		for (int at = word; at < this.statuses.length; at += WORDS) {
			longest = Math.max(longest, this.statuses[at]);
		}
		return longest;
	}

	/* Nearly all requests are allowed, which is all that must be known of them. */
	@Override
	public RateLimitOutcome outcome() {
		if (least(WAIT) == 1 && longest(WAIT) == 1) {
			return RateLimitOutcome.ALLOWED;
		}
		return RateLimitDecision.super.outcome();
	}

	@Override
	public boolean allowed() {
		return least(WAIT) >= 0;
	}

	@Override
	public long remaining() {
		return least(REMAINING);
	}

	@Override
	public long delayNanos() {
		return (least(WAIT) > 0) ? longest(WAIT) - 1 : 0;
	}

	@Override
	public long retryAfterNanos() {
		return retryAfterNanos(least(WAIT));
	}

	private static long retryAfterNanos(long wait) {
		if (wait == REJECTED_FOREVER) {
			return NEVER;
		}
		return (wait < 0) ? -1 - wait : 0;
	}

	@Override
	public long resetAfterNanos() {
		return longest(RESET);
	}

	/*
	 * More permits are left once all limits have more that have the fewest left.
	 */
	@Override
	public long nextPermitAfterNanos() {
		long least = remaining();
		long longest = 0;
		for (int at = 0; at < this.statuses.length; at += WORDS) {
			if (this.statuses[at + REMAINING] == least) {
				long next = this.statuses[at + NEXT];
				if (next == 0) {
					return 0;
				}
				longest = Math.max(longest, next);
			}
		}
		return longest;
	}

	@Override
	public List<LimitStatus> limits() {
		return List.of(each());
	}

	private StoreDecision[] each() {
		StoreDecision[] each = new StoreDecision[this.statuses.length / WORDS];
		for (int i = 0; i < each.length; i++) {
			int at = WORDS * i;
			long wait = this.statuses[at + WAIT];
			boolean allowed = wait > 0;
			long waitNanos = allowed ? wait - 1 : retryAfterNanos(wait);
			each[i] = new StoreDecision(allowed, this.decidedAtNanos, this.statuses[at + REMAINING], waitNanos,
					this.statuses[at + RESET], this.statuses[at + NEXT], null, (byte) 0, 0);
		}
		return each;
	}

	/**
	 * Returns the same decision, with each limit's kept by itself.
	 */
	StoreDecision separated() {
		StoreDecision[] each = each();
		if (each.length == 1) {
			return each[0];
		}
		return StoreDecision.copy(this, this.decidedAtNanos, each, 0, 0);
	}

	/**
	 * Returns the common decision of limits that have decided by themselves.
	 */
	static StoreDecision of(StoreDecision[] each) {
		long decidedAtNanos = each[0].decidedAtNanos();
		CombinedDecision combined = new CombinedDecision(decidedAtNanos, each.length);
		for (StoreDecision limit : each) {
			combined.add(limit.allowed(), limit.remaining(), limit.waitNanos(), limit.resetAfterNanos(),
					limit.nextPermitAfterNanos());
		}
		return StoreDecision.copy(combined, decidedAtNanos, each, 0, 0);
	}

	@Override
	public long decidedAtNanos(int limit) {
		return this.decidedAtNanos;
	}

	/* A limit that the policy has got since the decision has given nothing. */
	@Override
	public long resetAfterNanos(int limit) {
		if (limit >= this.statuses.length / WORDS) {
			return 0;
		}
		return this.statuses[WORDS * limit + RESET];
	}

	@Override
	public long delayNanos(int limit) {
		if (limit >= this.statuses.length / WORDS) {
			return 0;
		}
		return Math.max(0, this.statuses[WORDS * limit + WAIT] - 1);
	}

	@Override
	public String toString() {
		return StoreDecision.text(this);
	}

}
