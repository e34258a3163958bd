package io.github.ratelimit.local;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * The permits that a key has taken under some limits, behind a number that changes
 * atomically.
 * <p>
 * A state that leaves the map is <em>retired</em> inside the map's own operation on the
 * key: marked, so that a thread that still holds it cannot take from it and asks the map
 * again. Therefore no permit is lost with it.
 * <p>
 * No request is rejected by a state that is newer than the time that was read: a thread
 * that was held up between the two would apply a past time to the present state.
 */
@SuppressWarnings("serial")
abstract class LocalState extends AtomicLong implements LocalKeys.Value {

	/** The number of a state that is retired. */
	static final long RETIRED = Long.MIN_VALUE;

	final LocalDecider limits;

	LocalState(LocalDecider limits, long number) {
		super(number);
		this.limits = limits;
	}

	/**
	 * Decides on a request of 1 to as many permits as can pass.
	 * @param limits those of this state, which the caller need not wait for
	 * @return the decision; {@code null} if the state is retired or {@link #isOutdated}
	 */
	abstract @Nullable RateLimitDecision decide(LocalDecider limits, Algorithm admitting, String key, long permits);

	/**
	 * Decides on a call that takes nothing: a look, or a request that can never pass.
	 * @return the decision; {@code null} if the state is being changed or is retired
	 */
	abstract @Nullable RateLimitDecision read(Algorithm admitting, long permits);

	/**
	 * Refunds permits.
	 * @return {@code false} if the state is retired
	 */
	abstract boolean refund(long permits, RateLimitReceipt given);

	/**
	 * Takes permits that were used already.
	 * @param noted is set to what was left before and after, unless it is {@code null}
	 * @return {@code false} if that must be tried again, with the state that is there
	 * then
	 */
	abstract boolean charge(String key, long permits, @Nullable AtomicReference<@Nullable LateCharge> noted);

	/**
	 * Returns what other limits go on with.
	 * @param retire whether to retire the state
	 * @return a copy of the algorithm's words; {@code null} if the state is retired
	 */
	abstract long @Nullable [] words(boolean retire);

	/**
	 * Whether the same limits must go on with another state.
	 */
	boolean isOutdated(long now) {
		return false;
	}

}
