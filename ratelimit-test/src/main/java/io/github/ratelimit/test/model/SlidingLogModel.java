package io.github.ratelimit.test.model;

import java.util.TreeMap;

import io.github.ratelimit.RateLimit;

/**
 * The time stamp of every permit that was ever counted.
 */
final class SlidingLogModel extends LimitModel {

	private final TreeMap<Long, Long> permitsByStamp = new TreeMap<>();

	SlidingLogModel(RateLimit limit, long nanosPerTick) {
		super(limit, nanosPerTick);
	}

	@Override
	boolean admits(long now, long permits) {
		long counted = 0;
		for (long there : this.permitsByStamp.tailMap(now - this.window, false).values()) {
			counted += there;
		}
		return permits == 0 || counted + permits <= this.limit.limit();
	}

	@Override
	void take(long now, long permits) {
		this.permitsByStamp.merge(now, permits, Long::sum);
	}

	@Override
	void recordRejected(long now, long permits) {
		if (this.limit.countRejected()) {
			take(now, permits);
		}
	}

}
