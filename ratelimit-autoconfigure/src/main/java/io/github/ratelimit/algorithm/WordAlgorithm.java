package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.JointDecision;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * An algorithm in whose state only one word ever changes, so that a store can swap it
 * with one compare-and-set. The other word, the base, stands for the moment that the
 * state was made at.
 */
public abstract sealed class WordAlgorithm extends Algorithm
		permits MeteredAlgorithm, FixedWindowCounter, SlidingWindowCounter {

	/**
	 * What {@link #take(long, long, long, long) take} answers to a request that does not
	 * pass. Never a word.
	 */
	public static final long REJECTED = -1;

	WordAlgorithm(RateLimit limit, Tick resolution) {
		super(limit, resolution);
	}

	WordAlgorithm(WordAlgorithm original, long capacity) {
		super(original, capacity);
	}

	@Override
	public WordAlgorithm withoutDelays() {
		return this;
	}

	/**
	 * The base of a state that is made now.
	 * @param now the moment
	 * @return the word that stands for the moment
	 */
	public long base(long now) {
		return now;
	}

	/**
	 * The word of a key that was never seen.
	 * @param now the moment that the state is made at
	 * @return the word, not negative
	 */
	public abstract long initialWord(long now);

	/**
	 * Takes a request's permits, or refuses it.
	 * @param base the state's base
	 * @param word the state's word
	 * @param now the moment, not {@link #needsRebase needsRebase} by the base
	 * @param permits how many permits the request costs, from 0
	 * @return the new word, not negative; the old one for 0 permits; or {@link #REJECTED}
	 */
	public abstract long take(long base, long word, long now, long permits);

	/**
	 * How long a request would have to wait that passes.
	 * @param base the state's base
	 * @param word the state's word, before taking
	 * @param now the moment
	 * @param permits how many permits the request costs, from 1
	 * @return nanoseconds, or 0
	 */
	public long delayNanos(long base, long word, long now, long permits) {
		return 0;
	}

	/**
	 * Gives back what a request was given, as far as that is safe.
	 * @param base the state's base
	 * @param word the state's word
	 * @param now the moment
	 * @param permits how many permits the request cost
	 * @param given the receipt of the decision that allowed the request
	 * @return the new word
	 */
	public final long giveBack(long base, long word, long now, long permits, RateLimitReceipt given) {
		return giveBack(base, word, now, permits, given, 0);
	}

	abstract long giveBack(long base, long word, long now, long permits, RateLimitReceipt given, int limit);

	/**
	 * Whether the key is as good as one that was never seen.
	 * @param base the state's base
	 * @param word the state's word
	 * @param now the moment
	 * @return {@code true} if forgetting the state would change no answer
	 */
	public abstract boolean isIdle(long base, long word, long now);

	/**
	 * Puts into words what the state says of a request.
	 * @param base the state's base
	 * @param word the state's word, after taking
	 * @param now the moment
	 * @param permits how many permits the request cost, 0 for a look
	 * @param allowed whether the request passes
	 * @return the decision
	 */
	public final RateLimitDecision decision(long base, long word, long now, long permits, boolean allowed) {
		return decision(base, word, now, permits, allowed, null);
	}

	abstract RateLimitDecision decision(long base, long word, long now, long permits, boolean allowed,
			@Nullable JointDecision joint);

	/**
	 * Whether the base lies so far back that numbers counted from it would become too
	 * large: the state must be {@link #rebase rebase} first.
	 * @param base the state's base
	 * @param now the moment
	 * @return {@code true} if the state needs a new base
	 */
	public boolean needsRebase(long base, long now) {
		return false;
	}

	/**
	 * The word that says the same from a new base. Only what was taken before it can no
	 * longer be given back.
	 * @param base the state's base
	 * @param word the state's word
	 * @param now the moment that the new base stands for
	 * @return the word to the new base
	 */
	public long rebase(long base, long word, long now) {
		return word;
	}

	@Override
	final int initialSize() {
		return 2;
	}

	@Override
	final void initialize(long[] state, int at, long now) {
		state[at] = base(now);
		state[at + 1] = initialWord(now);
	}

	@Override
	public final boolean admits(long[] state, int at, long now, long permits) {
		return take(state[at], state[at + 1], now, permits) != REJECTED;
	}

	@Override
	public final long delayNanos(long[] state, int at, long now, long permits) {
		return delayNanos(state[at], state[at + 1], now, permits);
	}

	@Override
	public final void take(long[] state, int at, long now, long permits) {
		rebaseOutlived(state, at, now);
		state[at + 1] = take(state[at], state[at + 1], now, permits);
	}

	@Override
	final void giveBack(long[] state, int at, long now, long permits, RateLimitReceipt given, int limit) {
		state[at + 1] = giveBack(state[at], state[at + 1], now, permits, given, limit);
	}

	@Override
	public final boolean isIdle(long[] state, int at, long now) {
		return isIdle(state[at], state[at + 1], now);
	}

	@Override
	final RateLimitDecision decision(long[] state, int at, long now, long permits, boolean allowed,
			@Nullable JointDecision joint) {
		return decision(state[at], state[at + 1], now, permits, allowed, joint);
	}

	private void rebaseOutlived(long[] state, int at, long now) {
		if (needsRebase(state[at], now)) {
			state[at + 1] = rebase(state[at], state[at + 1], now);
			state[at] = base(now);
		}
	}

}
