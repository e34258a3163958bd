package io.github.ratelimit.request;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * An acquisition whose request or call may be charged by its outcome: what it notes until
 * that is known, and how it ends. What is not charged so has no {@link Settlement}.
 */
abstract class SettledAcquisition {

	/*
	 * It is there once something is charged by its outcome, which another thread may see
	 * end.
	 */
	private volatile @Nullable Settlement settlement;

	/**
	 * Lets the outcome of all that has a charge decide what is paid.
	 */
	final void charge(List<PermitRequest> requests) {
		for (PermitRequest request : requests) {
			Charge charge = request.charge();
			if (charge != null) {
				charge(request, charge, false);
			}
		}
	}

	/**
	 * Lets the outcome decide what is paid.
	 */
	final void charge(PermitRequest request, Charge charge, boolean inShadow) {
		noteRequest();
		settlement().charge(request, charge, inShadow);
	}

	/**
	 * Notes what is to be known of the request when it is over, because something is
	 * charged by its outcome.
	 */
	void noteRequest() {
	}

	/**
	 * Returns what settles the request or call once it is over, and creates it on first
	 * use.
	 */
	final Settlement settlement() {
		if (this.settlement == null) {
			this.settlement = new Settlement();
		}
		return this.settlement;
	}

	/**
	 * Whether there may be something left to do when the request is over.
	 * @return {@code true} if something is to be settled, or a slot to wait in released
	 */
	public final boolean isUnfinished() {
		return this.settlement != null || hasSlot();
	}

	/**
	 * Whether there is a slot to wait in that nothing has taken over.
	 */
	abstract boolean hasSlot();

	/**
	 * Whether a location charges what was given by its outcome.
	 */
	final boolean isCharged(PermitRequest request) {
		Settlement settlement = this.settlement;
		return settlement != null && settlement.charges(request);
	}

	/**
	 * Whether a location charges what was given if an authentication has failed.
	 */
	final boolean isChargedByAuthentication(PermitRequest request) {
		Settlement settlement = this.settlement;
		return settlement != null && settlement.chargesAuthentication(request);
	}

	/**
	 * Whether something is to be settled when all is over.
	 * @return {@code false} if no policy is charged by outcome
	 */
	public final boolean isCharged() {
		Settlement settlement = this.settlement;
		return settlement != null && !settlement.hasBegun();
	}

	/**
	 * Whether settling may take its time, because of a charge or of the store.
	 */
	final boolean mayBlockToSettle() {
		Settlement settlement = this.settlement;
		return settlement != null && settlement.mayBlock(this::mayBlock);
	}

	/**
	 * Whether the store of a request that is charged may keep its caller waiting.
	 */
	abstract boolean mayBlock(PermitRequest request);

	/**
	 * Whether a charge reads the authenticated user, or may read it.
	 * @return {@code true} if the user is to be noted once they are authenticated
	 */
	protected final boolean isChargedByPrincipal() {
		Settlement settlement = this.settlement;
		return settlement != null && settlement.readsPrincipal();
	}

	/**
	 * Notes that the call is over for which permits were acquired, and settles them
	 * unless the call is part of a request that is not over yet. A call that fails
	 * because its client has gone has not failed: its caller has left before it was over.
	 * @param result what the call returned, or will have returned
	 * @param exception what it failed with, if it did
	 */
	public final void endCall(@Nullable Object result, @Nullable Throwable exception) {
		if (noteEnd(result, exception)) {
			return;
		}

		Boolean authenticationFailed = hasFailedAuthentication(exception != null);
		if (exception != null && (isLeft() || ClientDisconnects.areCauseOf(exception))) {
			settleBy(new CallOutcome(null, result, null, authenticationFailed, true));
		}
		else {
			settleBy(new CallOutcome(null, result, exception, authenticationFailed));
		}
	}

	/**
	 * Notes how a call has ended whose request is settled when it is over.
	 * @return {@code false} for one that is settled now
	 */
	boolean noteEnd(@Nullable Object result, @Nullable Throwable exception) {
		return false;
	}

	/**
	 * Notes that the call's caller has left before it was over.
	 * @param result what had passed to the caller last, if anything had
	 * @param exception what the call is taken to have failed with, if it is
	 */
	public final void cancelCall(@Nullable Object result, @Nullable Throwable exception) {
		if (!noteLeft(result)) {
			settleBy(new CallOutcome(null, result, exception, hasFailedAuthentication(exception != null), true));
		}
	}

	/**
	 * Notes that the caller has left of a call whose request is settled when it is over.
	 * @return {@code false} for one that is settled now
	 */
	boolean noteLeft(@Nullable Object result) {
		return false;
	}

	/**
	 * Whether a charge is to see each element of what the call returns.
	 * @return {@code true} if each is to be {@link #count counted}
	 */
	public final boolean countsElements() {
		Settlement settlement = this.settlement;
		return settlement != null && settlement.countsElements();
	}

	/**
	 * Counts an element that is about to pass to the caller, one at a time.
	 * @param element the element
	 */
	public final void count(@Nullable Object element) {
		Settlement settlement = this.settlement;
		if (settlement != null) {
			settlement.count(element);
		}
	}

	/**
	 * Whether it is known that the client has gone for which all is done.
	 */
	boolean isLeft() {
		return false;
	}

	/**
	 * Whether an attempt to log in has failed.
	 * @param refused what to answer where no attempt was noticed
	 * @return {@code null} outside of an HTTP request
	 */
	@Nullable Boolean hasFailedAuthentication(boolean refused) {
		return null;
	}

	/**
	 * Settles what was acquired. Does nothing if that was done before.
	 * @param outcome how all has ended
	 */
	protected final void settleBy(CallOutcome outcome) {
		Settlement settlement = this.settlement;
		if (settlement != null && settlement.tryBegin()) {
			settleEntries(settlement, outcome);
		}
	}

	/**
	 * Settles what was given.
	 */
	abstract void settleEntries(Settlement settlement, CallOutcome outcome);

}
