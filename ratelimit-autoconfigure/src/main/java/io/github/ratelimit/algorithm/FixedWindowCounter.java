package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;

/**
 * The fixed window counter: counts the permits of the window that the moment lies in, and
 * starts from 0 with the next. Windows are aligned to the epoch, so that every instance
 * agrees on them.
 * <p>
 * The word is the window's number and the count, which has the low bits.
 */
final class FixedWindowCounter extends WordAlgorithm {

	private final long limit;

	private final WindowCount windows;

	FixedWindowCounter(RateLimit limit, Resolution resolution) {
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
		return (permits <= this.limit - this.windows.count(current)) ? current + permits : REFUSED;
	}

	@Override
	public long giveBack(long base, long word, long now, long permits, RateLimitDecision given) {
		long taken = tickOf(given);
		boolean same = taken >= base && this.windows.indexAt(taken) == this.windows.index(word);
		return same ? word - Math.min(permits, this.windows.count(word)) : word;
	}

	@Override
	public boolean isNew(long base, long word, long now) {
		return this.windows.count(current(word, now)) == 0;
	}

	@Override
	public RateLimitDecision decision(long base, long word, long now, long permits, boolean allowed) {
		long current = current(word, now);
		long count = this.windows.count(current);
		long rest = this.windows.start(this.windows.index(current) + 1) - now;
		long reset = (count > 0) ? rest : 0;
		if (allowed) {
			return allowed(now, this.limit - count, 0, reset, reset);
		}
		return rejected(now, this.limit - count, (permits <= this.limit) ? rest : RateLimitDecision.NEVER, reset,
				reset);
	}

	private long current(long word, long now) {
		long counted = this.windows.index(word);
		long index = this.windows.indexAt(now, counted);
		return (index > counted) ? this.windows.word(index, 0) : word;
	}

}
