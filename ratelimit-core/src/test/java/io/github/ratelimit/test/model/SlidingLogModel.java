package io.github.ratelimit.test.model;

import java.util.List;
import java.util.TreeMap;

import io.github.ratelimit.RateLimit;

/**
 * The time stamp of every permit that was ever counted; where there may be debts, of the
 * last ones, because nothing else says how many there may be.
 */
final class SlidingLogModel extends LimitModel {

	private final TreeMap<Long, Long> permitsByStamp = new TreeMap<>();

	SlidingLogModel(RateLimit limit, long nanosPerTick, boolean debts) {
		super(limit, nanosPerTick, debts);
	}

	@Override
	boolean admits(long now, long permits) {
		return permits == 0 || counted(now) + permits <= this.limit.limit();
	}

	private long counted(long now) {
		long counted = 0;
		for (long there : this.permitsByStamp.tailMap(now - this.window, false).values()) {
			counted += there;
		}
		return counted;
	}

	@Override
	void take(long now, long permits) {
		this.permitsByStamp.merge(now, permits, Long::sum);
		if (this.most > this.limit.limit()) {
			long tooMany = counted(now) - this.most;
			for (long stamp : List.copyOf(this.permitsByStamp.tailMap(now - this.window, false).keySet())) {
				long dropped = Math.min(Math.max(0, tooMany), this.permitsByStamp.get(stamp));
				this.permitsByStamp.merge(stamp, -dropped, Long::sum);
				tooMany -= dropped;
			}
		}
	}

	@Override
	void charge(long now, long permits) {
		take(now, Math.min(permits, Math.max(0, this.most - counted(now))));
	}

	@Override
	void recordRejected(long now, long permits) {
		if (this.limit.countRejected()) {
			take(now, permits);
		}
	}

}
