package io.github.ratelimit.algorithm;

import org.jspecify.annotations.Nullable;

/**
 * The counts of a sliding window counter, however its words hold them.
 *
 * @param estimate estimates what the sliding window holds
 * @param made since when permits that were taken can be refunded
 * @param index the current window's number
 * @param current what it has counted
 * @param previous what the window before has counted
 */
record SlidingCounts(SlidingEstimate estimate, long made, long index, long current, long previous) {

	/**
	 * The counts under other limits. In a window of another length, what the sliding
	 * window holds counts as taken now. Where a count is higher than the limit can count,
	 * the current one stands for it, so that the sliding window holds the same. Nothing
	 * older is refunded then.
	 * @param estimate the other limit's
	 * @param most the most that it can count
	 */
	SlidingCounts under(SlidingEstimate estimate, long most, long now) {
		long start = this.index * this.estimate.window();
		if (estimate.window() != this.estimate.window()) {
			long taken = this.estimate.heldAtMost(now, start, this.current, this.previous);
			return new SlidingCounts(estimate, now + 1, Math.max(now, start) / estimate.window(), Math.min(taken, most),
					0);
		}
		if (this.current <= most && this.previous <= most) {
			return this;
		}
		long taken = Math.min(most, estimate.held(now, start, this.current, this.previous));
		long kept = Math.min(most, this.previous);
		long rest = taken - estimate.held(now, start, 0, kept);
		return new SlidingCounts(estimate, now + 1, this.index, Math.max(rest, Math.min(most, this.current)), kept);
	}

	/**
	 * The counts of a key that a limit of any algorithm has decided on so far.
	 * @return the counts, or {@code null} if it was another algorithm
	 */
	static @Nullable SlidingCounts of(Algorithm algorithm, long[] state, int at, long now) {
		if (algorithm instanceof SlidingWindowCounter counter) {
			return counter.counts(state, at, now);
		}
		return (algorithm instanceof WideSlidingWindowCounter counter) ? counter.counts(state, at, now) : null;
	}

	static boolean areOf(Algorithm algorithm) {
		return algorithm instanceof SlidingWindowCounter || algorithm instanceof WideSlidingWindowCounter;
	}

}
