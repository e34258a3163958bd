package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.CombinedDecision;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * An algorithm whose state has only one changing word, so that a store can replace it
 * with one compare-and-set. The other word, the base, stands for the moment at which the
 * state was created.
 *
 * @since 0.1.0
 */
public abstract sealed class WordAlgorithm extends Algorithm permits Bucket, FixedWindowCounter, SlidingWindowCounter {

	/**
	 * The answer of {@link #take(long, long, long, long) take} to a request that is
	 * rejected. Never a word.
	 */
	public static final long REJECTED = -1;

	WordAlgorithm(RateLimit limit, Tick resolution) {
		super(limit.algorithm(), limit.capacity(), resolution);
	}

	/**
	 * The base of a state that is created now.
	 * @param now the moment
	 * @return the word that stands for the moment
	 */
	public long base(long now) {
		return now;
	}

	/**
	 * The word of a new key.
	 * @param now the moment at which the state is created
	 * @return the word, not negative
	 */
	public abstract long initialWord(long now);

	/**
	 * Takes a request's permits, or rejects the request.
	 * @param base the state's base
	 * @param word the state's word
	 * @param now the moment, for which the base {@link #needsRebase needs no rebase}
	 * @param permits how many permits the request costs, from 0
	 * @return the new word, not negative; the old one for 0 permits; or {@link #REJECTED}
	 */
	public abstract long take(long base, long word, long now, long permits);

	/**
	 * Takes permits for what has been used already, as far as the key may have debts.
	 * @param base the state's base
	 * @param word the state's word
	 * @param now the moment, for which the base {@link #needsRebase needs no rebase}
	 * @param permits how many permits were used, from 1
	 * @return the new word, not negative
	 */
	public abstract long charge(long base, long word, long now, long permits);

	/**
	 * Refunds a request's permits, as far as the limit allows.
	 * @param base the state's base
	 * @param word the state's word
	 * @param now the moment
	 * @param permits how many permits the request cost
	 * @param given the receipt of the decision that allowed the request
	 * @param limit the limit's index in the decision
	 * @return the new word
	 */
	public abstract long refund(long base, long word, long now, long permits, RateLimitReceipt given, int limit);

	/**
	 * Whether the key is idle: it has all its permits, as a new key has.
	 * @param base the state's base
	 * @param word the state's word
	 * @param now the moment
	 * @return {@code true} if forgetting the state would change no answer
	 */
	public final boolean isIdle(long base, long word, long now) {
		return decision(base, word, now, 0, true, null).resetAfterNanos() == 0;
	}

	/**
	 * Creates the decision on a request from the state.
	 * @param base the state's base
	 * @param word the state's word, after taking
	 * @param now the moment
	 * @param permits how many permits the request cost, 0 for a look
	 * @param allowed whether the request passes
	 * @param combined the decision to add to, or {@code null} for a decision of its own
	 * @return the decision
	 */
	public abstract RateLimitDecision decision(long base, long word, long now, long permits, boolean allowed,
			@Nullable CombinedDecision combined);

	/**
	 * Whether the base lies so far back that numbers counted from it would become too
	 * large: the state must be {@link #create(long, Algorithm, long[]) created anew} from
	 * itself first. Permits that were taken before can then no longer be refunded.
	 * @param base the state's base
	 * @param now the moment
	 * @return {@code true} if the state needs a new base
	 */
	public boolean needsRebase(long base, long now) {
		return false;
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
	public final void take(long[] state, int at, long now, long permits) {
		rebaseIfNeeded(state, at, now);
		state[at + 1] = take(state[at], state[at + 1], now, permits);
	}

	@Override
	public final void charge(long[] state, int at, long now, long permits) {
		rebaseIfNeeded(state, at, now);
		state[at + 1] = charge(state[at], state[at + 1], now, permits);
	}

	@Override
	public final void refund(long[] state, int at, long now, long permits, RateLimitReceipt given, int limit) {
		state[at + 1] = refund(state[at], state[at + 1], now, permits, given, limit);
	}

	@Override
	public final RateLimitDecision decision(long[] state, int at, long now, long permits, boolean allowed,
			@Nullable CombinedDecision combined) {
		return decision(state[at], state[at + 1], now, permits, allowed, combined);
	}

	private void rebaseIfNeeded(long[] state, int at, long now) {
		if (needsRebase(state[at], now)) {
			System.arraycopy(createAfter(this, state, at, now), 0, state, at, initialSize());
		}
	}

}
