package io.github.ratelimit.test.model;

import java.util.HashMap;
import java.util.Map;

import io.github.ratelimit.RateLimit;

/**
 * The count of every window that there ever was.
 */
final class FixedWindowModel extends LimitModel {

	private final Map<Long, Long> counts = new HashMap<>();

	FixedWindowModel(RateLimit limit, long nanosPerTick) {
		super(limit, nanosPerTick);
	}

	@Override
	boolean admits(long now, long permits) {
		return this.counts.getOrDefault(now / this.window, 0L) + permits <= this.limit.limit();
	}

	@Override
	void take(long now, long permits) {
		this.counts.merge(now / this.window, permits, Long::sum);
	}

}
