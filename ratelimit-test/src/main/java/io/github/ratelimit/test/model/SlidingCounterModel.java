package io.github.ratelimit.test.model;

import java.util.HashMap;
import java.util.Map;

import io.github.ratelimit.RateLimit;

/**
 * The count of every window that there ever was, the one before weighted in exact
 * fractions.
 */
final class SlidingCounterModel extends LimitModel {

	private final Map<Long, Long> counts = new HashMap<>();

	SlidingCounterModel(RateLimit limit, long nanosPerTick) {
		super(limit, nanosPerTick);
	}

	@Override
	boolean admits(long now, long permits) {
		long index = now / this.window;
		Fraction stillCovered = Fraction.of(this.window - now % this.window, this.window);
		Fraction previous = Fraction.of(this.counts.getOrDefault(index - 1, 0L));
		Fraction current = Fraction.of(this.counts.getOrDefault(index, 0L));
		long estimate = previous.times(stillCovered).plus(current).floor();
		return permits == 0 || estimate + permits <= this.limit.limit();
	}

	@Override
	void take(long now, long permits) {
		this.counts.merge(now / this.window, permits, Long::sum);
	}

}
