package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.SlidingWindowCounter.SlidingCounts;
import io.github.ratelimit.store.CombinedDecision;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * The {@link SlidingWindowCounter sliding window counter} of a limit that is too large
 * for two counts in one word.
 * <p>
 * The words are the moment at which the state was created, the window's number, its
 * count, and the count of the window before.
 */
sealed class WideSlidingWindowCounter extends Algorithm permits ReservingSlidingWindowCounter {

	private static final int MADE = 0;

	private static final int INDEX = 1;

	private static final int CURRENT = 2;

	private static final int PREVIOUS = 3;

	final long limit;

	private final long maxTaken;

	final SlidingEstimate estimate;

	WideSlidingWindowCounter(RateLimit limit, Tick resolution, boolean debts) {
		super(limit.algorithm(), limit.capacity(), resolution);
		this.limit = limit.limit();
		this.maxTaken = maxTaken(limit, debts);
		this.estimate = new SlidingEstimate(limit, resolution);
	}

	@Override
	final int initialSize() {
		return 4;
	}

	@Override
	final void initialize(long[] state, int at, long now) {
		write(state, at, new SlidingCounts(this.estimate, now, now / this.estimate.window(), 0, 0));
	}

	private static void write(long[] state, int at, SlidingCounts counts) {
		state[at + MADE] = counts.made();
		state[at + INDEX] = counts.index();
		state[at + CURRENT] = counts.current();
		state[at + PREVIOUS] = counts.previous();
	}

	/*
	 * As of a moment's window, unless the state's own is later.
	 */
	final SlidingCounts counts(long[] state, int at, long now) {
		long stored = state[at + INDEX];
		long index = Math.max(stored, now / this.estimate.window());
		long current = state[at + CURRENT];
		if (index == stored) {
			return new SlidingCounts(this.estimate, state[at + MADE], index, current, state[at + PREVIOUS]);
		}
		long previous = (index == stored + 1) ? current : 0;
		return new SlidingCounts(this.estimate, state[at + MADE], index, 0, previous);
	}

	@Override
	final long[] createAfter(Algorithm before, long[] old, int oldAt, long now) {
		long[] state = create(now);
		write(state, 0, SlidingCounts.of(before, old, oldAt, now).under(this.estimate, this.maxTaken, now));
		return state;
	}

	@Override
	public boolean admits(long[] state, int at, long now, long permits) {
		return permits == 0 || permits <= this.limit - counts(state, at, now).held(now);
	}

	@Override
	public void take(long[] state, int at, long now, long permits) {
		count(state, at, now, permits);
	}

	@Override
	public final void charge(long[] state, int at, long now, long permits) {
		count(state, at, now, Math.min(permits, Math.max(0, this.maxTaken - counts(state, at, now).held(now))));
	}

	/*
	 * Counts permits in the window of a moment, or in the state's own if that is later.
	 */
	final void count(long[] state, int at, long moment, long permits) {
		write(state, at, counts(state, at, moment));
		state[at + CURRENT] += permits;
	}

	@Override
	public void refund(long[] state, int at, long now, long permits, RateLimitReceipt given, int limit) {
		if (this.resolution.takenAt(given, limit) < state[at + MADE]) {
			return;
		}

		long since = state[at + INDEX] - this.resolution.passesAt(given, limit) / this.estimate.window();
		if (since == 0) {
			state[at + CURRENT] -= Math.min(permits, state[at + CURRENT]);
		}
		else if (since == 1) {
			state[at + PREVIOUS] -= Math.min(permits, state[at + PREVIOUS]);
		}
	}

	@Override
	public RateLimitDecision decision(long[] state, int at, long now, long permits, boolean allowed,
			@Nullable CombinedDecision combined) {
		SlidingCounts counts = counts(state, at, now);
		return this.estimate.explain(now, counts.start(), counts.current(), counts.previous(), permits, allowed,
				combined);
	}

}
