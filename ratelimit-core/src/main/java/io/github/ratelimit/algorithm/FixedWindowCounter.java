package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.CombinedDecision;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * The fixed window counter: counts the permits of the window that the moment lies in, and
 * starts from 0 with the next. Windows are aligned to the epoch, so that every instance
 * agrees on them, or are those of a calendar.
 * <p>
 * The word holds the window's number and, in its low bits, the count.
 *
 * @since 0.1.0
 */
public sealed class FixedWindowCounter extends WordAlgorithm permits ReservingWindowCounter {

	final long limit;

	private final long maxTaken;

	final WindowCount windows;

	FixedWindowCounter(RateLimit limit, Tick resolution, boolean debts) {
		this(limit, resolution, maxTaken(limit, debts), new WindowCount(limit, resolution));
	}

	/**
	 * Creates a counter.
	 * @param maxTaken the most that a window takes over from other limits
	 * @param windows counts in windows
	 */
	FixedWindowCounter(RateLimit limit, Tick resolution, long maxTaken, WindowCount windows) {
		super(limit, resolution);
		this.limit = limit.limit();
		this.maxTaken = maxTaken;
		this.windows = windows;
	}

	@Override
	public long initialWord(long now) {
		return this.windows.word(this.windows.indexAt(now), 0);
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * What the other's current window has counted counts in this one's, whatever their
	 * lengths. In the same window it is not lowered to this limit's, so that nobody gains
	 * by changing to a lower limit and back. Otherwise nothing older is refunded.
	 * <p>
	 * Windows of the same length go on as they were counted last. What has become since
	 * then of permits that were reserved depends on the limit, and this one may reject
	 * the request and soon be another's again.
	 */
	@Override
	long[] createAfter(Algorithm before, long[] old, int oldAt, long now) {
		FixedWindowCounter other = (FixedWindowCounter) before;
		long otherIndex = other.windows.index(old[oldAt + 1]);
		long count = other.windows.count(old[oldAt + 1]);
		if (this.windows.isLike(other.windows)) {
			return createInSameWindow(otherIndex, count, old[oldAt], now);
		}

		long present = other.windows.indexAt(now, otherIndex);
		if (present > otherIndex) {
			otherIndex = present;
			count = 0;
		}
		long index = this.windows.indexAt(Math.max(now, other.windows.start(otherIndex)));
		if (isSameWindow(index, other, otherIndex)) {
			return createInSameWindow(index, count, old[oldAt], now);
		}
		return new long[] { now + 1, this.windows.word(index, Math.min(count, this.maxTaken)) };
	}

	private long[] createInSameWindow(long index, long count, long base, long now) {
		long kept = Math.min(count, this.windows.largestCount());
		return new long[] { (kept == count) ? base : now + 1, this.windows.word(index, kept) };
	}

	private boolean isSameWindow(long index, FixedWindowCounter other, long otherIndex) {
		if (this.windows.end(index) != other.windows.end(otherIndex)) {
			return false;
		}
		return this.windows.areCalendars() || this.windows.start(index) == other.windows.start(otherIndex);
	}

	@Override
	public long take(long base, long word, long now, long permits) {
		if (permits == 0) {
			return word;
		}

		long current = current(word, now);
		if (permits > this.limit - this.windows.count(current)) {
			return REJECTED;
		}
		return current + permits;
	}

	@Override
	public long charge(long base, long word, long now, long permits) {
		long current = current(word, now);
		return current + Math.min(permits, Math.max(0, this.maxTaken - this.windows.count(current)));
	}

	@Override
	public long refund(long base, long word, long now, long permits, RateLimitReceipt given, int limit) {
		long takenAt = this.resolution.takenAt(given, limit);
		if (takenAt < base || this.windows.indexAt(takenAt) != this.windows.index(word)) {
			return word;
		}
		return word - Math.min(permits, this.windows.count(word));
	}

	@Override
	public RateLimitDecision decision(long base, long word, long now, long permits, boolean allowed,
			@Nullable CombinedDecision combined) {
		long current = current(word, now);
		return explain(now, this.windows.end(this.windows.index(current)), this.windows.count(current), permits,
				allowed, combined);
	}

	/**
	 * Creates the decision on a request from a window's count.
	 * @param now the moment
	 * @param end when the window ends
	 * @param count what it has counted, after taking, from 0 to the limit, or to twice
	 * the limit where there are debts
	 * @param permits how many permits the request cost, 0 for a look
	 * @param allowed whether the request passes
	 * @param combined the decision to add to, or {@code null} for a decision of its own
	 * @return the decision
	 */
	public RateLimitDecision explain(long now, long end, long count, long permits, boolean allowed,
			@Nullable CombinedDecision combined) {
		long rest = end - now;
		long reset = (count > 0) ? rest : 0;
		long wait = 0;
		if (!allowed) {
			wait = (permits <= this.limit) ? rest : RateLimitDecision.NEVER;
		}
		return this.resolution.decision(now, allowed, Math.max(0, this.limit - count), wait, reset, reset, combined);
	}

	/**
	 * The word that stands for a window's count.
	 * @param index the window's number
	 * @param count what it has counted
	 * @return the word
	 */
	public final long word(long index, long count) {
		return this.windows.word(index, count);
	}

	final long current(long word, long now) {
		long counted = this.windows.index(word);
		long index = this.windows.indexAt(now, counted);
		if (index <= counted) {
			return word;
		}
		return this.windows.word(index, carried(this.windows.count(word), index - counted));
	}

	/**
	 * How many permits a window has given when it begins.
	 * @param count what was counted in an earlier window
	 * @param ended how many windows have ended since
	 */
	long carried(long count, long ended) {
		return 0;
	}

}
