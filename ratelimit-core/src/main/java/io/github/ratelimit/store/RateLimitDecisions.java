package io.github.ratelimit.store;

import java.util.stream.Stream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;

/**
 * Creates and changes decisions, for stores and for tests. Decisions of any other
 * implementation are copied before they are changed.
 *
 * @since 0.1.0
 */
public final class RateLimitDecisions {

	private RateLimitDecisions() {
	}

	/**
	 * Creates the decision of one limit that allows a request.
	 * @param decidedAtNanos the store's time of the decision, nanoseconds since the epoch
	 * @param remaining the number of single-permit requests that would pass now
	 * @param delayNanos how long the request must wait first
	 * @param resetAfterNanos the time until the key has all of its permits again
	 * @param nextPermitAfterNanos the time until {@code remaining} next grows, 0 if it
	 * cannot
	 * @return the decision
	 */
	public static RateLimitDecision allowed(long decidedAtNanos, long remaining, long delayNanos, long resetAfterNanos,
			long nextPermitAfterNanos) {
		return new StoreDecision(true, decidedAtNanos, remaining, delayNanos, resetAfterNanos, nextPermitAfterNanos,
				null, (byte) 0, 0);
	}

	/**
	 * Creates the decision of one limit that rejects a request.
	 * @param decidedAtNanos the store's time of the decision, nanoseconds since the epoch
	 * @param remaining the number of single-permit requests that would pass now
	 * @param retryAfterNanos the time until the same request would pass, or
	 * {@link LimitStatus#NEVER}
	 * @param resetAfterNanos the time until the key has all of its permits again
	 * @param nextPermitAfterNanos the time until {@code remaining} next grows, 0 if it
	 * cannot
	 * @return the decision
	 */
	public static RateLimitDecision rejected(long decidedAtNanos, long remaining, long retryAfterNanos,
			long resetAfterNanos, long nextPermitAfterNanos) {
		return new StoreDecision(false, decidedAtNanos, remaining, retryAfterNanos, resetAfterNanos,
				nextPermitAfterNanos, null, (byte) 0, 0);
	}

	/**
	 * Creates the decision of a store that cannot decide, and that is to reject requests
	 * meanwhile.
	 * @param decidedAtNanos this process' time, nanoseconds since the epoch
	 * @param retryAfterNanos the time until it is worth trying again
	 * @return a rejection that says nothing about any limit
	 */
	public static RateLimitDecision unavailable(long decidedAtNanos, long retryAfterNanos) {
		return new StoreDecision(false, decidedAtNanos, 0, retryAfterNanos, 0, 0, null,
				StoreDecision.FALLBACK | StoreDecision.UNAVAILABLE, 0);
	}

	/**
	 * Creates the decision on a request whose key is banned.
	 * @param decidedAtNanos the store's time of the decision, nanoseconds since the epoch
	 * @param retryAfterNanos the time until the ban ends, from 1
	 * @return a rejection of a key that has nothing left until then
	 */
	public static RateLimitDecision banned(long decidedAtNanos, long retryAfterNanos) {
		return newlyBanned(decidedAtNanos, retryAfterNanos, 0);
	}

	/**
	 * Creates the decision on a request whose key is denied.
	 * @param decidedAtNanos the store's time of the decision, nanoseconds since the epoch
	 * @return a rejection without an end that says nothing about any limit
	 */
	public static RateLimitDecision denied(long decidedAtNanos) {
		return new StoreDecision(false, decidedAtNanos, 0, LimitStatus.NEVER, 0, 0, null, StoreDecision.DENIED, 0);
	}

	/**
	 * Creates the decision on a request whose rejection begins a ban of its key.
	 * @param decidedAtNanos the store's time of the decision, nanoseconds since the epoch
	 * @param banNanos how long the ban lasts
	 * @param times how many times the key is banned now, from 1
	 * @return a rejection of a key that has nothing left until the ban ends
	 */
	public static RateLimitDecision newlyBanned(long decidedAtNanos, long banNanos, int times) {
		return new StoreDecision(false, decidedAtNanos, 0, banNanos, banNanos, banNanos, null, StoreDecision.BANNED,
				times);
	}

	/**
	 * Creates the common decision of several limits: allowed if all agree, after the
	 * longest delay; otherwise rejected until all would agree.
	 * @param limits the decision of each limit, in the policy's order, at least one
	 * @return the common decision; of a single limit, that limit's own
	 */
	public static RateLimitDecision combined(RateLimitDecision... limits) {
		if (limits.length == 1) {
			return limits[0];
		}
		StoreDecision[] each = Stream.of(limits)
			.flatMap((limit) -> StoreDecision.of(limit).parts())
			.toArray(StoreDecision[]::new);
		if (each.length == 1) {
			return each[0];
		}
		return CombinedDecision.of(each);
	}

	/**
	 * Starts the common decision of several limits that decide at the same moment, in
	 * less memory than their {@link #combined} decisions take.
	 * @param decidedAtNanos the store's time of the decision, nanoseconds since the epoch
	 * @param limits the number of limits
	 * @return a decision that is complete when each limit has added its status
	 */
	public static CombinedDecision combining(long decidedAtNanos, int limits) {
		return new CombinedDecision(decidedAtNanos, limits);
	}

	/**
	 * Singles out what one limit decided.
	 * @param decision the common decision
	 * @param limit the limit's index in its policy
	 * @return the decision of a policy that has this limit alone
	 */
	public static RateLimitDecision ofLimit(RateLimitDecision decision, int limit) {
		return StoreDecision.of(decision).limit(limit);
	}

	/**
	 * Marks a decision that the policy's store did not make, because it could not.
	 * @param decision the decision
	 * @return the same decision, marked
	 */
	public static RateLimitDecision asFallback(RateLimitDecision decision) {
		return StoreDecision.of(decision).asFallback();
	}

	/**
	 * Turns a rejection into the decision of a policy that only informs.
	 * @param rejection the rejection
	 * @return a decision that lets the request pass without a wait, marked; its limits
	 * say what they said
	 */
	public static RateLimitDecision asExceeded(RateLimitDecision rejection) {
		return StoreDecision.of(rejection).asExceeded();
	}

	/**
	 * Turns a decision into the one that a look would have returned.
	 * @param decision the decision
	 * @return the same status, allowed and without a wait
	 */
	public static RateLimitDecision asLook(RateLimitDecision decision) {
		return StoreDecision.of(decision).asLook();
	}

	/**
	 * Turns a decision into the one that the same request would get a little later, if
	 * nothing changed but the time.
	 * @param decision the decision
	 * @param nanos how much later, less than the decision's
	 * {@link LimitStatus#retryAfterNanos()}
	 * @return the same decision with its times counted down
	 */
	public static RateLimitDecision after(RateLimitDecision decision, long nanos) {
		return StoreDecision.of(decision).after(nanos);
	}

	/**
	 * Turns a decision into the rejection of a request that would pass after a wait, but
	 * cannot wait.
	 * @param decision the decision that would make it wait, or that rejects it because it
	 * cannot
	 * @param retryAfterNanos the wait that it would have had: when the policy lets it
	 * pass without one
	 * @return the decision as a rejection, marked; a limit that would have made the
	 * request wait rejects it
	 */
	public static RateLimitDecision asQueueFull(RateLimitDecision decision, long retryAfterNanos) {
		return StoreDecision.of(decision).asQueueFull(retryAfterNanos);
	}

}
