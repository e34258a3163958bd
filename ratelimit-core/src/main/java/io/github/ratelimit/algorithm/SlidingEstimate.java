package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.CombinedDecision;
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

	private final Tick resolution;

	private final long limit;

	private final long window;

	private final double inverseWindow;

	/**
	 * Prepares the estimate of a limit.
	 * @param limit a sliding window counter
	 * @param resolution the tick that moments are given in
	 */
	public SlidingEstimate(RateLimit limit, Tick resolution) {
		this.resolution = resolution;
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
	 * @param into how far into the current window; a moment before it counts as its start
	 * @param current what it has counted
	 * @param previous what the window before has counted
	 */
	long held(long into, long current, long previous) {
		if (previous == 0) {
			return current;
		}
		long covered = this.window - Math.max(0, into);
		return current + quotient(this.inverseWindow * covered * previous, previous * covered, this.window);
	}

	/**
	 * How many permits the sliding window holds, rounded up.
	 */
	long heldAtMost(long into, long current, long previous) {
		long held = held(into, current, previous);
		boolean exact = (held - current) * this.window == previous * (this.window - Math.max(0, into));
		return exact ? held : held + 1;
	}

	/**
	 * Creates the decision on a request from the counts.
	 * @param now the moment
	 * @param start when the current window began
	 * @param current what it has counted, after taking
	 * @param previous what the window before has counted
	 * @param permits how many permits the request cost, 0 for a look
	 * @param allowed whether the request passes
	 * @param combined the decision to add to, or {@code null} for a decision of its own
	 * @return the decision
	 */
	public RateLimitDecision explain(long now, long start, long current, long previous, long permits, boolean allowed,
			@Nullable CombinedDecision combined) {
		long held = held(now - start, current, previous);
		long remaining = Math.max(0, this.limit - held);
		long reset = (held == 0) ? 0 : start - now + roomFor(this.limit, current, previous);
		long next = (held == 0) ? 0 : start - now + roomFor(remaining + 1, current, previous);

		long wait = 0;
		if (!allowed && permits > this.limit) {
			wait = RateLimitDecision.NEVER;
		}
		else if (!allowed && permits == remaining + 1) {
			wait = next;
		}
		else if (!allowed) {
			wait = start - now + roomFor(permits, current, previous);
		}

		return this.resolution.decision(now, allowed, remaining, wait, reset, next, combined);
	}

	/**
	 * Creates the decision on a request that may wait. The counts are those of the window
	 * in which the last one passes, and of the window before that.
	 * @param now the moment
	 * @param start when the current window begins, which may be later
	 * @param current what it has counted, after taking, up to the limit
	 * @param previous what the window before has counted
	 * @param permits how many permits the request cost, 0 for a look
	 * @param allowed whether the request passes
	 * @param maxWait the longest that a request waits
	 * @param combined the decision to add to, or {@code null} for a decision of its own
	 * @return the decision
	 */
	public RateLimitDecision explainReserved(long now, long start, long current, long previous, long permits,
			boolean allowed, long maxWait, @Nullable CombinedDecision combined) {
		long untilLast = untilRoomFor(0, now, start, current, previous);
		long remaining = 0;
		if (untilLast == 0) {
			remaining = Math.max(0, this.limit - held(now - start, current, previous));
		}
		long reset = untilRoomFor(this.limit, now, start, current, previous);
		long next = (reset == 0) ? 0 : untilRoomFor(remaining + 1, now, start, current, previous);

		long wait = 0;
		if (!allowed && permits > this.limit) {
			wait = RateLimitDecision.NEVER;
		}
		else if (!allowed) {
			wait = untilRoomFor(permits, now, start, current, previous) - maxWait;
		}
		else if (permits != 0) {
			wait = untilLast;
		}

		return this.resolution.decision(now, allowed, remaining, wait, reset, next, combined);
	}

	/**
	 * How long it takes until the estimate has room.
	 * @param permits for how many permits, up to the limit; with 0, until those that are
	 * counted have all passed
	 * @param now the moment
	 * @param start when the current window begins, which may be later
	 * @param current what it has counted
	 * @param previous what the window before has counted
	 * @return ticks, 0 if there is room
	 */
	public long untilRoomFor(long permits, long now, long start, long current, long previous) {
		return Math.max(0, start - now + roomFor(permits, current, previous));
	}

	/*
	 * How far from the current window's start the estimate has room for the first time:
	 * in this window if its own count has, otherwise in the next, to which this one's
	 * count is the previous.
	 */
	private long roomFor(long permits, long current, long previous) {
		long room = this.limit - permits;
		if (current <= room) {
			return untilBelow(previous, room - current + 1);
		}
		return this.window + untilBelow(current, room + 1);
	}

	/*
	 * How far into a window the count of the one before weighs less than a number.
	 */
	private long untilBelow(long previous, long number) {
		if (previous < number) {
			return 0;
		}
		if (previous == number) {
			return 1;
		}
		return this.window - quotient((double) number * this.window / previous, number * this.window - 1, previous);
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
