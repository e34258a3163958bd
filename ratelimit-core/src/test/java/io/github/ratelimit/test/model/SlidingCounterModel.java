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

	SlidingCounterModel(RateLimit limit, long nanosPerTick, boolean debts) {
		super(limit, nanosPerTick, debts);
	}

	@Override
	boolean admits(long now, long permits) {
		return permits == 0 || estimate(now) + permits <= this.limit.limit();
	}

	private long estimate(long now) {
		long index = now / this.window;
		Fraction stillCovered = Fraction.of(this.window - now % this.window, this.window);
		Fraction previous = Fraction.of(this.counts.getOrDefault(index - 1, 0L));
		Fraction current = Fraction.of(this.counts.getOrDefault(index, 0L));
		return previous.times(stillCovered).plus(current).floor();
	}

	@Override
	void take(long now, long permits) {
		this.counts.merge(now / this.window, permits, Long::sum);
	}

	@Override
	void charge(long now, long permits) {
		take(now, Math.min(permits, Math.max(0, this.most - estimate(now))));
	}

}
