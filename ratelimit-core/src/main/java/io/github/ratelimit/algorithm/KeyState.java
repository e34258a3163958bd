package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitReceipt;

/**
 * The state of one key of a policy, for a store that keeps an object for each key.
 * <p>
 * Not safe for use by several threads at once: the store guards each key. Moments are
 * ticks since the epoch and must not go back.
 *
 * @since 0.1.0
 */
public final class KeyState {

	private final Algorithm algorithm;

	private long[] words;

	/**
	 * Creates the state of a key that was never seen.
	 * @param algorithm the algorithm of the policy's limits
	 * @param now the moment
	 */
	public KeyState(Algorithm algorithm, long now) {
		this.algorithm = algorithm;
		this.words = algorithm.create(now);
	}

	/**
	 * Restores the state of a key, for a store that keeps numbers or bytes.
	 * @param algorithm the algorithm of the same policy: of the same limits, charge,
	 * longest wait and tick
	 * @param words the state's {@link #words()}
	 * @throws IllegalArgumentException if they are too few
	 */
	public KeyState(Algorithm algorithm, long[] words) {
		if (words.length < algorithm.initialSize()) {
			throw new IllegalArgumentException("A state of this algorithm has at least " + algorithm.initialSize()
					+ " words, not " + words.length + "; use those of the same policy");
		}
		this.algorithm = algorithm;
		this.words = words.clone();
	}

	/**
	 * Returns the numbers that the state consists of. They mean nothing to any other
	 * algorithm, nor to another version of this library.
	 * @return a copy
	 */
	public long[] words() {
		return this.words.clone();
	}

	/**
	 * The same key under other limits: what it has taken stays taken, up to the new
	 * capacity. A limit of another algorithm than the one with the same index begins
	 * anew.
	 * @param algorithm the algorithm of the other limits
	 * @param now the moment at which the limits change
	 * @return the state under the other limits
	 */
	public KeyState under(Algorithm algorithm, long now) {
		return new KeyState(algorithm, algorithm.create(now, this.algorithm, this.words));
	}

	/**
	 * Decides on a request, and takes its permits if it is allowed. A request of more
	 * permits than can ever pass changes nothing, also where rejected requests count.
	 * @param now the moment
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @return the decision of all the policy's limits
	 */
	public RateLimitDecision decide(long now, long permits) {
		boolean admitted = this.algorithm.admits(this.words, 0, now, permits);
		boolean canPass = permits > 0 && permits <= this.algorithm.capacity();
		if (canPass && (admitted || this.algorithm.countsRejected())) {
			this.words = this.algorithm.enlarged(this.words, now, permits);
			if (admitted) {
				this.algorithm.take(this.words, 0, now, permits);
			}
			else {
				this.algorithm.recordRejected(this.words, 0, now, permits);
			}
		}
		return this.algorithm.decision(this.words, 0, now, permits, admitted, null);
	}

	/**
	 * Refunds what a request was given and did not use.
	 * @param now the moment
	 * @param permits how many permits the request cost
	 * @param given the decision that allowed it
	 */
	public void refund(long now, long permits, RateLimitDecision given) {
		this.algorithm.refund(this.words, 0, now, permits, RateLimitReceipt.of(given), 0);
	}

	/**
	 * Settles a request that was given permits: refunds what it did not use, or takes
	 * what it has used beyond them.
	 * @param now the moment
	 * @param reserved how many permits the request was given
	 * @param used how many it has used, from 0
	 * @param given the decision that allowed it
	 */
	public void settle(long now, long reserved, long used, RateLimitDecision given) {
		if (used < reserved) {
			refund(now, reserved - used, given);
		}
		else if (used > reserved) {
			this.words = this.algorithm.enlarged(this.words, now, used - reserved);
			this.algorithm.charge(this.words, 0, now, used - reserved);
		}
	}

	/**
	 * Whether the key has all of its permits, so that a store may forget it.
	 * @param now the moment
	 * @return {@code true} if forgetting the state would change no answer
	 */
	public boolean isIdle(long now) {
		return this.algorithm.isIdle(this.words, 0, now);
	}

}
