package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;

/**
 * The sliding window counter: counts the permits of the current window and of the one
 * before, and admits what the {@link SlidingEstimate estimate} has room for.
 * <p>
 * The word is the window's number, counted from the base's, and the two counts, of which
 * the previous window's has the low bits. Counts of many bits leave few for the number,
 * so that the state needs a new base from time to time: of the largest limit that fits,
 * each 29 windows of at least four minutes; of one below a million, no more than once in
 * eight million windows. What was taken before the new base is then not given back.
 */
final class SlidingWindowCounter extends WordAlgorithm {

	private static final int FEWEST_NUMBER_BITS = 5;

	private final long limit;

	private final SlidingEstimate estimate;

	private final Windows windows;

	private final int bits;

	private final long lastNumber;

	private final long horizon;

	SlidingWindowCounter(RateLimit limit, Resolution resolution) {
		super(limit, resolution);
		this.limit = limit.limit();
		this.estimate = new SlidingEstimate(limit, resolution);
		this.windows = new Windows(resolution.ticks(limit.window()));
		this.bits = bits(limit);
		this.lastNumber = Long.MAX_VALUE >> 2 * this.bits;
		this.horizon = Math.min(this.lastNumber - 2, Long.MAX_VALUE / this.windows.length()) * this.windows.length();
	}

	private static int bits(RateLimit limit) {
		return Long.SIZE - Long.numberOfLeadingZeros(limit.limit());
	}

	/**
	 * Whether both counts and the window's number fit one word.
	 */
	static boolean fits(RateLimit limit) {
		return FEWEST_NUMBER_BITS + 2 * bits(limit) < Long.SIZE;
	}

	@Override
	public long initialWord(long now) {
		return 0;
	}

	@Override
	public long take(long base, long word, long now, long permits) {
		if (permits == 0) {
			return word;
		}
		long moved = moved(base, word, now);
		return (permits <= this.limit - held(base, moved, now)) ? moved + (permits << this.bits) : REFUSED;
	}

	@Override
	public long giveBack(long base, long word, long now, long permits, RateLimitDecision given) {
		if (tickOf(given) < base) {
			return word;
		}
		long since = index(base, word) - this.windows.indexAt(tickOf(given));
		if (since == 0) {
			return word - (Math.min(permits, current(word)) << this.bits);
		}
		return (since == 1) ? word - Math.min(permits, previous(word)) : word;
	}

	@Override
	public boolean isNew(long base, long word, long now) {
		return held(base, moved(base, word, now), now) == 0;
	}

	@Override
	public RateLimitDecision decision(long base, long word, long now, long permits, boolean allowed) {
		long moved = moved(base, word, now);
		return this.estimate.explain(now, index(base, moved), current(moved), previous(moved), permits, allowed);
	}

	@Override
	public boolean outlived(long base, long now) {
		return now - base > this.horizon;
	}

	@Override
	public long rebased(long base, long word, long now) {
		long moved = moved(base, word, now);
		long number = Math.max(0, index(base, moved) - this.windows.indexAt(now));
		return word(number, current(moved), previous(moved));
	}

	/*
	 * The word as of a moment's window, unless the word's own is later. Two windows after
	 * the horizon no count of before it matters, so that all later ones may be one.
	 */
	private long moved(long base, long word, long now) {
		long counted = index(base, word);
		long index = this.windows.indexAt(now, counted);
		if (index <= counted) {
			return word;
		}
		long number = Math.min(index - this.windows.indexAt(base), this.lastNumber);
		return word(number, 0, (index == counted + 1) ? current(word) : 0);
	}

	private long held(long base, long moved, long now) {
		return this.estimate.held(now, this.windows.start(index(base, moved)), current(moved), previous(moved));
	}

	private long word(long number, long current, long previous) {
		return (number << this.bits | current) << this.bits | previous;
	}

	private long index(long base, long word) {
		return this.windows.indexAt(base) + (word >>> 2 * this.bits);
	}

	private long current(long word) {
		return previous(word >>> this.bits);
	}

	private long previous(long word) {
		return word & (1L << this.bits) - 1;
	}

}
