package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.JointDecision;
import io.github.ratelimit.store.RateLimitDecisions;
import org.jspecify.annotations.Nullable;

/**
 * The mathematics of the sliding window counter: estimates what the sliding window holds
 * from the counts of the current fixed window and of the one before, which is weighted by
 * the share of it that the sliding window still covers. Exact if the previous window was
 * even.
 * <p>
 * Source: the approximation that Cloudflare published as "How we built rate limiting
 * capable of scaling to millions of domains" (2017).
 *
 * @since 0.1.0
 */
public final class SlidingEstimate {

	private final long nanosPerTick;

	private final long limit;

	private final long window;

	private final double inverseWindow;

	/**
	 * Prepares the estimate of a limit.
	 * @param limit a sliding window counter
	 * @param resolution the tick that moments are given in
	 */
	public SlidingEstimate(RateLimit limit, Tick resolution) {
		this.nanosPerTick = resolution.nanosPerTick();
		this.limit = limit.limit();
		this.window = resolution.ticks(limit.window());
		this.inverseWindow = 1.0 / this.window;
	}

	/**
	 * The window's length.
	 */
	long window() {
		return this.window;
	}

	/**
	 * How many permits the sliding window holds.
	 * @param now the moment; one before the current window counts as its start
	 * @param start when the current window began
	 * @param current what it has counted
	 * @param previous what the window before has counted
	 */
	long held(long now, long start, long current, long previous) {
		return share(previous, into(now, start)) + current;
	}

	/**
	 * How many permits the sliding window holds, rounded up.
	 */
	long heldAtMost(long now, long start, long current, long previous) {
		long covered = this.window - into(now, start);
		long share = share(previous, into(now, start));
		boolean exact = share * this.window == previous * covered;
		return share + current + (exact ? 0 : 1);
	}

	/**
	 * Creates the decision on a request from the counts.
	 * @param now the moment
	 * @param start when the current window began
	 * @param current what it has counted, after taking
	 * @param previous what the window before has counted
	 * @param permits how many permits the request cost, 0 for a look
	 * @param allowed whether the request passes
	 * @return the decision
	 */
	public RateLimitDecision explain(long now, long start, long current, long previous, long permits, boolean allowed) {
		return explain(now, start, current, previous, permits, allowed, null);
	}

	RateLimitDecision explain(long now, long start, long current, long previous, long permits, boolean allowed,
			@Nullable JointDecision joint) {
		long into = into(now, start);
		long remaining = Math.max(0, this.limit - share(previous, into) - current);
		long ahead = start + into - now;
		boolean full = remaining == this.limit;
		long reset = full ? 0 : nanos(ahead + waitFor(this.limit, current, previous, into));
		long next = full ? 0 : nanos(ahead + waitFor(remaining + 1, current, previous, into));
		if (allowed) {
			return (joint != null) ? joint.addAllowed(remaining, 0, reset, next)
					: RateLimitDecisions.allowed(nanos(now), remaining, 0, reset, next);
		}
		long retry = (permits > this.limit) ? RateLimitDecision.NEVER
				: (permits == remaining + 1) ? next : nanos(ahead + waitFor(permits, current, previous, into));
		return (joint != null) ? joint.addRejected(remaining, retry, reset, next)
				: RateLimitDecisions.rejected(nanos(now), remaining, retry, reset, next);
	}

	private static long into(long now, long start) {
		return Math.max(0, now - start);
	}

	private long share(long previous, long into) {
		if (previous == 0) {
			return 0;
		}
		long covered = this.window - into;
		return quotient(this.inverseWindow * covered * previous, previous * covered, this.window);
	}

	/*
	 * The first moment at which the estimate has room: in this window if its own count
	 * has, otherwise in the next, to which this one's count is the previous.
	 */
	private long waitFor(long permits, long current, long previous, long into) {
		long room = this.limit - permits;
		if (current <= room) {
			return intoWithRoom(room - current, previous) - into;
		}
		return this.window - into + intoWithRoom(room, current);
	}

	private long intoWithRoom(long room, long previous) {
		if (previous <= room) {
			return 0;
		}
		long covers = room + 1;
		return (previous == covers) ? 1
				: this.window - quotient((double) covers * this.window / previous, covers * this.window - 1, previous);
	}

	private long nanos(long ticks) {
		return ticks * this.nanosPerTick;
	}

	/*
	 * Divides a number of up to 106 bits, rounded down. The double is the quotient to
	 * within a few units, and the remainder, which fits although the number may not,
	 * corrects it.
	 *
	 * @param approximate the quotient, below 2^53
	 *
	 * @param dividend the lower 64 bits of the number
	 *
	 * @param divisor from 1 to 2^53
	 */
	private static long quotient(double approximate, long dividend, long divisor) {
		long quotient = (long) approximate;
		long remainder = dividend - quotient * divisor;
		while (remainder < 0) {
			quotient--;
			remainder += divisor;
		}
		while (remainder >= divisor) {
			quotient++;
			remainder -= divisor;
		}
		return quotient;
	}

}
