package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.JointDecision;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * The {@link SlidingWindowCounter sliding window counter} of a limit that is too large
 * for two counts in one word.
 * <p>
 * The words are the window's number with its count, the count of the window before, and
 * the moment at which the state was created.
 */
final class WideSlidingWindowCounter extends Algorithm {

	private final long limit;

	private final long most;

	private final SlidingEstimate estimate;

	private final WindowCount windows;

	WideSlidingWindowCounter(RateLimit limit, Tick resolution, boolean debts) {
		super(limit, resolution);
		this.limit = limit.limit();
		this.most = mostTaken(limit, debts);
		this.estimate = new SlidingEstimate(limit, resolution);
		this.windows = new WindowCount(this.most, resolution.ticks(limit.window()));
	}

	@Override
	int initialSize() {
		return 3;
	}

	@Override
	void initialize(long[] state, int at, long now) {
		state[at] = this.windows.word(this.windows.indexAt(now), 0);
		state[at + 1] = 0;
		state[at + 2] = now;
	}

	SlidingWindowCounter.SlidingCounts counts(long[] state, int at, long now) {
		long index = index(state[at], now);
		return new SlidingWindowCounter.SlidingCounts(this.estimate, state[at + 2], index, current(state[at], index),
				previous(state[at], state[at + 1], index));
	}

	@Override
	long[] createAfter(Algorithm before, long[] old, int oldAt, long now) {
		SlidingWindowCounter.SlidingCounts other = SlidingWindowCounter.SlidingCounts.of(before, old, oldAt, now);
		if (other == null) {
			return create(now);
		}
		SlidingWindowCounter.SlidingCounts counts = other.under(this.estimate, this.most, now);
		return new long[] { this.windows.word(counts.index(), counts.current()), counts.previous(), counts.made() };
	}

	@Override
	boolean knowsMomentsOf(Algorithm before) {
		return SlidingWindowCounter.SlidingCounts.areOf(before);
	}

	@Override
	public boolean admits(long[] state, int at, long now, long permits) {
		return permits == 0 || permits <= this.limit - held(state[at], state[at + 1], now);
	}

	@Override
	public void take(long[] state, int at, long now, long permits) {
		long word = state[at];
		long index = index(word, now);
		state[at + 1] = previous(word, state[at + 1], index);
		state[at] = this.windows.word(index, current(word, index) + permits);
	}

	@Override
	public void charge(long[] state, int at, long now, long permits) {
		long room = Math.max(0, this.most - held(state[at], state[at + 1], now));
		take(state, at, now, Math.min(permits, room));
	}

	@Override
	void refund(long[] state, int at, long now, long permits, RateLimitReceipt given, int limit) {
		if (tickOf(given, limit) < state[at + 2]) {
			return;
		}
		long since = this.windows.index(state[at]) - this.windows.indexAt(tickOf(given, limit));
		if (since == 0) {
			state[at] -= Math.min(permits, this.windows.count(state[at]));
		}
		else if (since == 1) {
			state[at + 1] -= Math.min(permits, state[at + 1]);
		}
	}

	@Override
	public boolean isIdle(long[] state, int at, long now) {
		return held(state[at], state[at + 1], now) == 0;
	}

	@Override
	RateLimitDecision decision(long[] state, int at, long now, long permits, boolean allowed,
			@Nullable JointDecision joint) {
		long word = state[at];
		long index = index(word, now);
		return this.estimate.explain(now, this.windows.start(index), current(word, index),
				previous(word, state[at + 1], index), permits, allowed, joint);
	}

	private long held(long word, long previous, long now) {
		long index = index(word, now);
		return this.estimate.held(now, this.windows.start(index), current(word, index),
				previous(word, previous, index));
	}

	private long index(long word, long now) {
		return this.windows.indexAt(now, this.windows.index(word));
	}

	private long current(long word, long index) {
		return (this.windows.index(word) == index) ? this.windows.count(word) : 0;
	}

	private long previous(long word, long previous, long index) {
		long stored = this.windows.index(word);
		return (stored == index) ? previous : (stored == index - 1) ? this.windows.count(word) : 0;
	}

}
