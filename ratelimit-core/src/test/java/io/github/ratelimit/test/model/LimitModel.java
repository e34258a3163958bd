package io.github.ratelimit.test.model;

import io.github.ratelimit.RateLimit;

/**
 * One limit and one key by definition: what passes and what that does. When things will
 * be different is not computed here but found by trying ({@link ReferenceModel}).
 * <p>
 * Moments are ticks and never go back.
 */
abstract class LimitModel {

	final RateLimit limit;

	final long window;

	/* How many permits can be taken at most, of which some may be a debt. */
	final long most;

	LimitModel(RateLimit limit, long nanosPerTick, boolean debts) {
		this.limit = limit;
		this.window = limit.window().toNanos() / nanosPerTick;
		this.most = debts ? 2 * limit.capacity() : limit.capacity();
	}

	static LimitModel of(RateLimit limit, long nanosPerTick, boolean debts) {
		return switch (limit.algorithm()) {
			case TOKEN_BUCKET -> new TokenBucketModel(limit, nanosPerTick, debts);
			case LEAKY_BUCKET -> new LeakyBucketModel(limit, nanosPerTick, debts);
			case FIXED_WINDOW_COUNTER -> new FixedWindowModel(limit, nanosPerTick, debts);
			case SLIDING_WINDOW_LOG -> new SlidingLogModel(limit, nanosPerTick, debts);
			case SLIDING_WINDOW_COUNTER -> new SlidingCounterModel(limit, nanosPerTick, debts);
		};
	}

	abstract boolean admits(long now, long permits);

	abstract void take(long now, long permits);

	/**
	 * Takes permits whether they are there or not, up to the most that can be taken.
	 */
	abstract void charge(long now, long permits);

	void recordRejected(long now, long permits) {
	}

	/**
	 * How long the last of the permits must wait, asked before they are taken.
	 */
	long delay(long now, long permits) {
		return 0;
	}

}
