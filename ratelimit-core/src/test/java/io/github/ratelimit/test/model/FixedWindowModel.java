package io.github.ratelimit.test.model;

import java.util.HashMap;
import java.util.Map;

import io.github.ratelimit.RateLimit;

/**
 * The count of every window that there ever was.
 */
final class FixedWindowModel extends LimitModel {

	private final Map<Long, Long> counts = new HashMap<>();

	FixedWindowModel(RateLimit limit, long nanosPerTick, boolean debts) {
		super(limit, nanosPerTick, debts);
	}

	@Override
	boolean admits(long now, long permits) {
		return permits == 0 || this.counts.getOrDefault(now / this.window, 0L) + permits <= this.limit.limit();
	}

	@Override
	void take(long now, long permits) {
		this.counts.merge(now / this.window, permits, Long::sum);
	}

	@Override
	void charge(long now, long permits) {
		take(now, Math.min(permits, this.most - this.counts.getOrDefault(now / this.window, 0L)));
	}

}
