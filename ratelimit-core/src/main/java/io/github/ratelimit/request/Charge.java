package io.github.ratelimit.request;

import org.jspecify.annotations.Nullable;

/**
 * Computes what one call is charged in the end, if that is not what it costs.
 *
 * @since 0.1.0
 */
public interface Charge {

	/**
	 * Whether the charge reads the authenticated user, or may read it.
	 * @return {@code true} if the user is to be noted once they are authenticated
	 */
	boolean readsPrincipal();

	/**
	 * Whether the charge reads if an authentication has failed, or may read it.
	 * @return {@code true} if a request with credentials by which nobody is known is
	 * charged as an attempt, although it is rejected
	 */
	default boolean readsAuthentication() {
		return false;
	}

	/**
	 * Whether computing the charge may take its time.
	 * @return {@code true} if it is not to be computed where nothing may wait
	 */
	boolean mayBlock();

	/**
	 * Whether another charge is written the same: then the one that was noted first has
	 * the request as it came.
	 * @param other another charge
	 * @return {@code false} if the two differ in more than in what they have noted
	 */
	boolean isWrittenAs(Charge other);

	/**
	 * Merges this with a charge that is written the same, for another reading of the same
	 * request.
	 * @param other the charge of the other reading
	 * @return charges the higher of both; by default only this
	 */
	default Charge and(Charge other) {
		return this;
	}

	/**
	 * Creates the charge for another call that asks the same.
	 * @return a charge that has counted nothing; by default the same, which counts
	 * nothing
	 */
	default Charge anew() {
		return this;
	}

	/**
	 * Whether the charge is to see each element of what the call returns.
	 * @return {@code true} if each is to be {@link #count counted}
	 */
	default boolean countsElements() {
		return false;
	}

	/**
	 * Counts an element that is about to pass to the caller, one at a time.
	 * @param element the element
	 */
	default void count(@Nullable Object element) {
	}

	/**
	 * Computes the charge, once for an outcome. A call that was cancelled is charged what
	 * it has reserved at least, unless the charge says what such a call is charged.
	 * @param reserved what the call has reserved
	 * @param outcome how it has ended
	 * @return how many permits the call has used; what it has reserved if that cannot be
	 * computed
	 */
	long used(long reserved, CallOutcome outcome);

	/**
	 * Computes the charge for a call that has reserved nothing that could be charged
	 * instead.
	 * @param reserved what the call has reserved
	 * @param outcome how it has ended
	 * @param ifUnknown what the call is charged if that cannot be computed
	 * @return how many permits the call has used
	 */
	default long used(long reserved, CallOutcome outcome, long ifUnknown) {
		return used(reserved, outcome);
	}

}
