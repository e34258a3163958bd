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

	LimitModel(RateLimit limit, long nanosPerTick) {
		this.limit = limit;
		this.window = limit.window().toNanos() / nanosPerTick;
	}

	static LimitModel of(RateLimit limit, long nanosPerTick) {
		return switch (limit.algorithm()) {
			case TOKEN_BUCKET -> new TokenBucketModel(limit, nanosPerTick);
			case LEAKY_BUCKET -> new LeakyBucketModel(limit, nanosPerTick);
			case FIXED_WINDOW_COUNTER -> new FixedWindowModel(limit, nanosPerTick);
			case SLIDING_WINDOW_LOG -> new SlidingLogModel(limit, nanosPerTick);
			case SLIDING_WINDOW_COUNTER -> new SlidingCounterModel(limit, nanosPerTick);
		};
	}

	abstract boolean admits(long now, long permits);

	abstract void take(long now, long permits);

	void recordRejected(long now, long permits) {
	}

	/**
	 * How long the last of the permits must wait, asked before they are taken.
	 */
	long delay(long now, long permits) {
		return 0;
	}

}
