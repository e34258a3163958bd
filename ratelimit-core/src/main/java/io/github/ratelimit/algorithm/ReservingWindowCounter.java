package io.github.ratelimit.algorithm;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.CombinedDecision;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * The fixed window counter whose requests may wait for a later window: a request gets all
 * its permits of the first window that has them, not before that of the request in front
 * of it, and waits until the window begins.
 * <p>
 * The count goes on where the limit ends: what is counted beyond it is reserved in the
 * windows that follow, and is theirs once they begin.
 */
final class ReservingWindowCounter extends FixedWindowCounter {

	/* Those of the longest wait, and that of a request which did not fit before it. */
	private static final int MAX_LIMITS_COUNTED = 64;

	private final RateLimit numbers;

	/* How long requests may wait for permits at most, also if the present one may not. */
	private final Duration longestWait;

	private final long maxWait;

	/* What windows have given and reserved at most under this limit. */
	private final long maxReserved;

	ReservingWindowCounter(RateLimit limit, Tick resolution, Duration maxWait) {
		this(limit, resolution, maxWait, maxWait);
	}

	private ReservingWindowCounter(RateLimit limit, Tick resolution, Duration longestWait, Duration maxWait) {
		super(limit, resolution, limit.limit(), new WindowCount(limit, resolution, MAX_LIMITS_COUNTED));
		this.numbers = limit;
		this.longestWait = longestWait;
		this.maxWait = resolution.ticks(maxWait);
		this.maxReserved = limit.limit() * (longestWait.dividedBy(limit.window()) + 2);
	}

	@Override
	public Algorithm withoutDelays() {
		return new ReservingWindowCounter(this.numbers, this.resolution, this.longestWait, Duration.ZERO);
	}

	@Override
	long carried(long count, long ended) {
		long reserved = reserved(count);
		if (ended > reserved / this.limit) {
			return 0;
		}
		return reserved - ended * this.limit;
	}

	/*
	 * The word may have counted more: what an earlier, higher limit has given in its
	 * window is no reservation, of which the rest cannot be told apart.
	 */
	private long reserved(long count) {
		return Math.min(count, this.maxReserved);
	}

	@Override
	public long take(long base, long word, long now, long permits) {
		if (permits == 0) {
			return word;
		}
		if (permits > this.limit) {
			return REJECTED;
		}

		long current = current(word, now);
		long index = this.windows.index(current);
		long taken = taken(reserved(this.windows.count(current)), permits);
		if (untilBegin(index, taken, now) > this.maxWait) {
			return REJECTED;
		}
		return this.windows.word(index, taken);
	}

	/*
	 * Returns what is counted once a request has its permits. What its window's
	 * predecessor has left is left for good: nobody overtakes those in front.
	 */
	private long taken(long count, long permits) {
		long ofLast = count % this.limit;
		if (ofLast + permits > this.limit) {
			return count - ofLast + this.limit + permits;
		}
		return count + permits;
	}

	/*
	 * Returns how long it takes until the window begins that has given the last permit.
	 */
	private long untilBegin(long index, long count, long now) {
		long later = laterWindows(count);
		if (later == 0) {
			return 0;
		}
		return this.windows.start(index + later) - now;
	}

	/*
	 * Returns how many windows lie between the present one and that of the last permit.
	 */
	private long laterWindows(long count) {
		return Math.max(0, count - 1) / this.limit;
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Only permits of the last window that has given some are refunded: those of others
	 * have others behind them.
	 */
	@Override
	public long refund(long base, long word, long now, long permits, RateLimitReceipt given, int limit) {
		long count = reserved(this.windows.count(word));
		long later = laterWindows(count);
		long takenAt = this.resolution.takenAt(given, limit);
		long end = takenAt + this.resolution.resetAfter(given, limit);
		if (takenAt < base || end != this.windows.end(this.windows.index(word) + later)) {
			return word;
		}
		return word - Math.min(permits, count - later * this.limit);
	}

	@Override
	public RateLimitDecision decision(long base, long word, long now, long permits, boolean allowed,
			@Nullable CombinedDecision combined) {
		long current = current(word, now);
		long index = this.windows.index(current);
		long count = reserved(this.windows.count(current));
		long reset = 0;
		long next = 0;
		if (count > 0) {
			reset = this.windows.end(index + laterWindows(count)) - now;
			next = this.windows.start(index + Math.max(1, count / this.limit)) - now;
		}

		long wait = 0;
		if (!allowed) {
			wait = untilAdmitted(index, count, now, permits);
		}
		else if (permits != 0) {
			wait = untilBegin(index, count, now);
		}
		return this.resolution.decision(now, allowed, Math.max(0, this.limit - count), wait, reset, next, combined);
	}

	private long untilAdmitted(long index, long count, long now, long permits) {
		if (permits > this.limit) {
			return RateLimitDecision.NEVER;
		}
		return untilBegin(index, taken(count, permits), now) - this.maxWait;
	}

}
