package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.JointDecision;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * The fixed window counter: counts the permits of the window that the moment lies in, and
 * starts from 0 with the next. Windows are aligned to the epoch, so that every instance
 * agrees on them.
 * <p>
 * The word holds the window's number and, in its low bits, the count.
 *
 * @since 0.1.0
 */
public final class FixedWindowCounter extends WordAlgorithm {

	private final long limit;

	private final WindowCount windows;

	FixedWindowCounter(RateLimit limit, Tick resolution) {
		super(limit, resolution);
		this.limit = limit.limit();
		this.windows = new WindowCount(this.limit, resolution.ticks(limit.window()));
	}

	@Override
	public long initialWord(long now) {
		return this.windows.word(this.windows.indexAt(now), 0);
	}

	@Override
	public long take(long base, long word, long now, long permits) {
		if (permits == 0) {
			return word;
		}
		long current = current(word, now);
		return (permits <= this.limit - this.windows.count(current)) ? current + permits : REJECTED;
	}

	@Override
	long giveBack(long base, long word, long now, long permits, RateLimitReceipt given, int limit) {
		long taken = tickOf(given, limit);
		boolean same = taken >= base && this.windows.indexAt(taken) == this.windows.index(word);
		return same ? word - Math.min(permits, this.windows.count(word)) : word;
	}

	@Override
	public boolean isIdle(long base, long word, long now) {
		return this.windows.count(current(word, now)) == 0;
	}

	@Override
	RateLimitDecision decision(long base, long word, long now, long permits, boolean allowed,
			@Nullable JointDecision joint) {
		long current = current(word, now);
		return explain(now, this.windows.index(current), this.windows.count(current), permits, allowed, joint);
	}

	/**
	 * Creates the decision on a request from a window's count.
	 * @param now the moment
	 * @param index the window's number
	 * @param count what it has counted, after taking, from 0 to the limit
	 * @param permits how many permits the request cost, 0 for a look
	 * @param allowed whether the request passes
	 * @return the decision
	 */
	public RateLimitDecision explain(long now, long index, long count, long permits, boolean allowed) {
		return explain(now, index, count, permits, allowed, null);
	}

	private RateLimitDecision explain(long now, long index, long count, long permits, boolean allowed,
			@Nullable JointDecision joint) {
		long rest = this.windows.start(index + 1) - now;
		long reset = (count > 0) ? rest : 0;
		if (allowed) {
			return allowed(now, this.limit - count, 0, reset, reset, joint);
		}
		return rejected(now, this.limit - count, (permits <= this.limit) ? rest : RateLimitDecision.NEVER, reset, reset,
				joint);
	}

	private long current(long word, long now) {
		long counted = this.windows.index(word);
		long index = this.windows.indexAt(now, counted);
		return (index > counted) ? this.windows.word(index, 0) : word;
	}

}
