package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitReceipt;

/**
 * One key's state of one limit, driven as a store drives it, with the words in the middle
 * of an array that is otherwise not its own.
 */
final class OneKey {

	static final int AT = 3;

	private static final long FOREIGN = 0x5EEDL << Integer.SIZE;

	final Algorithm algorithm;

	private long[] state;

	OneKey(RateLimit limit, Tick resolution, long now) {
		this(Algorithm.of(limit, resolution, false), now);
	}

	OneKey(Algorithm algorithm, long now) {
		this.algorithm = algorithm;
		this.state = withForeignWords(new long[AT + algorithm.initialSize() + 1]);
		algorithm.initialize(this.state, AT, now);
	}

	private OneKey(OneKey original) {
		this.algorithm = original.algorithm;
		this.state = original.state.clone();
	}

	private static long[] withForeignWords(long[] words) {
		for (int i = 0; i < AT; i++) {
			words[i] = FOREIGN;
		}
		words[words.length - 1] = FOREIGN;
		return words;
	}

	OneKey copy() {
		return new OneKey(this);
	}

	RateLimitDecision decide(long now, long permits) {
		boolean admitted = admits(now, permits);
		if (permits > 0 && permits <= this.algorithm.capacity() && (admitted || this.algorithm.countsRejected())) {
			makeRoom(now, permits);
			if (admitted) {
				this.algorithm.take(this.state, AT, now, permits);
			}
			else {
				this.algorithm.recordRejected(this.state, AT, now, permits);
			}
			checkForeignWords();
		}
		return this.algorithm.decision(this.state, AT, now, permits, admitted, null);
	}

	private void makeRoom(long now, long permits) {
		int more = this.algorithm.missing(this.state, AT, now, permits);
		if (more > 0) {
			long[] larger = withForeignWords(new long[this.state.length + more]);
			this.algorithm.enlarge(this.state, AT, larger, AT, now, permits);
			this.state = larger;
		}
	}

	private void checkForeignWords() {
		for (int i = 0; i < this.state.length; i++) {
			boolean foreign = i < AT || i >= AT + this.algorithm.size(this.state, AT);
			if (foreign && this.state[i] != FOREIGN) {
				throw new AssertionError("Word " + i + " belongs to somebody else");
			}
		}
	}

	boolean admits(long now, long permits) {
		return this.algorithm.admits(this.state, AT, now, permits);
	}

	RateLimitDecision look(long now) {
		return decide(now, 0);
	}

	void refund(long now, long permits, RateLimitDecision given) {
		this.algorithm.refund(this.state, AT, now, permits, RateLimitReceipt.of(given), 0);
	}

	void charge(long now, long permits) {
		makeRoom(now, permits);
		this.algorithm.charge(this.state, AT, now, permits);
		checkForeignWords();
	}

	void settle(long now, long reserved, long used, RateLimitDecision given) {
		if (used < reserved) {
			refund(now, reserved - used, given);
		}
		else if (used > reserved) {
			charge(now, used - reserved);
		}
	}

	boolean isIdle(long now) {
		return this.algorithm.isIdle(this.state, AT, now);
	}

	long[] words() {
		return this.state.clone();
	}

}
