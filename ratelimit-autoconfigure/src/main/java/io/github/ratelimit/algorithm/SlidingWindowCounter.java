package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;

/**
 * The sliding window counter: estimates what the sliding window holds from the counts of
 * the current fixed window and of the one before, which is weighted by the share of it
 * that the sliding window still covers. Exact if the previous window was even.
 * <p>
 * Source: the approximation that Cloudflare published as "How we built rate limiting
 * capable of scaling to millions of domains" (2017).
 * <p>
 * The words are the window's number with its count, the count of the window before, and
 * the moment that the state was made at.
 */
public final class SlidingWindowCounter extends Algorithm {

	private final long limit;

	private final long window;

	private final WindowCount windows;

	SlidingWindowCounter(RateLimit limit, Resolution resolution) {
		super(limit, resolution);
		this.limit = limit.limit();
		this.window = resolution.ticks(limit.window());
		this.windows = new WindowCount(this.limit, this.window);
	}

	@Override
	public int initialSize() {
		return 3;
	}

	@Override
	public void initialize(long[] state, int at, long now) {
		state[at] = this.windows.word(this.windows.indexAt(now), 0);
		state[at + 1] = 0;
		state[at + 2] = now;
	}

	@Override
	public boolean admits(long[] state, int at, long now, long permits) {
		if (permits == 0) {
			return true;
		}
		long word = state[at];
		long index = index(word, now);
		return permits <= this.limit
				- estimate(previous(word, state[at + 1], index), current(word, index), into(index, now));
	}

	@Override
	public void take(long[] state, int at, long now, long permits) {
		long word = state[at];
		long index = index(word, now);
		state[at + 1] = previous(word, state[at + 1], index);
		state[at] = this.windows.word(index, current(word, index) + permits);
	}

	@Override
	public void giveBack(long[] state, int at, long now, long permits, RateLimitDecision given) {
		if (tickOf(given) < state[at + 2]) {
			return;
		}
		long taken = this.windows.indexAt(tickOf(given));
		long index = this.windows.index(state[at]);
		if (taken == index) {
			state[at] -= Math.min(permits, this.windows.count(state[at]));
		}
		else if (taken == index - 1) {
			state[at + 1] -= Math.min(permits, state[at + 1]);
		}
	}

	@Override
	public boolean isNew(long[] state, int at, long now) {
		long word = state[at];
		long index = index(word, now);
		return estimate(previous(word, state[at + 1], index), current(word, index), into(index, now)) == 0;
	}

	@Override
	public RateLimitDecision decision(long[] state, int at, long now, long permits, boolean allowed) {
		long word = state[at];
		long index = index(word, now);
		return explain(now, index, current(word, index), previous(word, state[at + 1], index), permits, allowed);
	}

	/**
	 * Puts into words what the counts say of a request.
	 * @param now the moment
	 * @param index the current window's number
	 * @param current what it has counted, after taking
	 * @param previous what the window before has counted
	 * @param permits how many permits the request cost, 0 for a look
	 * @param allowed whether the request passes
	 * @return the decision
	 */
	public RateLimitDecision explain(long now, long index, long current, long previous, long permits, boolean allowed) {
		long into = into(index, now);
		long remaining = Math.max(0, this.limit - estimate(previous, current, into));
		long ahead = this.windows.start(index) + into - now;
		boolean full = remaining == this.limit;
		long reset = full ? 0 : ahead + waitFor(this.limit, previous, current, into);
		long next = full ? 0 : ahead + waitFor(remaining + 1, previous, current, into);
		if (allowed) {
			return allowed(now, remaining, 0, reset, next);
		}
		long retry = (permits <= this.limit) ? ahead + waitFor(permits, previous, current, into)
				: RateLimitDecision.NEVER;
		return rejected(now, remaining, retry, reset, next);
	}

	private long estimate(long previous, long current, long into) {
		return (previous == 0) ? current : ExactDivision.floor(previous, this.window - into, this.window) + current;
	}

	/*
	 * The first moment at which the estimate has room: in this window if its own count
	 * has, otherwise in the next, to which this one's count is the previous.
	 */
	private long waitFor(long permits, long previous, long current, long into) {
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
		return (previous == room + 1) ? 1 : this.window - ExactDivision.below(room + 1, this.window, previous);
	}

	private long index(long word, long now) {
		long counted = this.windows.index(word);
		return Math.max(counted, this.windows.indexAt(now, counted));
	}

	private long into(long index, long now) {
		return Math.max(0, now - this.windows.start(index));
	}

	private long current(long word, long index) {
		return (this.windows.index(word) == index) ? this.windows.count(word) : 0;
	}

	private long previous(long word, long previous, long index) {
		long stored = this.windows.index(word);
		return (stored == index) ? previous : (stored == index - 1) ? this.windows.count(word) : 0;
	}

}
