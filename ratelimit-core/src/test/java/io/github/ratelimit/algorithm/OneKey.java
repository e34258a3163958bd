package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;

/**
 * The state of one key, with what is only asked of it in tests.
 */
final class OneKey {

	final Algorithm algorithm;

	private final KeyState state;

	OneKey(RateLimit limit, Tick resolution, long now) {
		this(Algorithm.of(limit, resolution, false), now);
	}

	OneKey(Algorithm algorithm, long now) {
		this(algorithm, algorithm.create(now));
	}

	private OneKey(Algorithm algorithm, long[] words) {
		this.algorithm = algorithm;
		this.state = new KeyState(algorithm, words);
	}

	/**
	 * The last moment for which a base needs no other.
	 */
	static long lastOf(WordAlgorithm algorithm, long base) {
		long low = 0;
		long high = Long.MAX_VALUE / 2;
		while (low < high) {
			long middle = low + (high - low + 1) / 2;
			if (algorithm.needsRebase(base, middle)) {
				high = middle - 1;
			}
			else {
				low = middle;
			}
		}
		return low;
	}

	OneKey copy() {
		return new OneKey(this.algorithm, words());
	}

	RateLimitDecision decide(long now, long permits) {
		return this.state.decide(now, permits);
	}

	boolean admits(long now, long permits) {
		return this.algorithm.admits(this.state.words(), 0, now, permits);
	}

	RateLimitDecision look(long now) {
		return decide(now, 0);
	}

	void refund(long now, long permits, RateLimitDecision given) {
		this.state.refund(now, permits, given);
	}

	void charge(long now, long permits) {
		settle(now, 0, permits, look(now));
	}

	void settle(long now, long reserved, long used, RateLimitDecision given) {
		this.state.settle(now, reserved, used, given);
	}

	boolean isIdle(long now) {
		return this.state.isIdle(now);
	}

	long[] words() {
		return this.state.words().clone();
	}

}
