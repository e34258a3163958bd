package io.github.ratelimit.enforce;

import java.util.function.Supplier;

import io.github.ratelimit.store.RateLimitSession;

/**
 * The permits of one call within a request. What the request has paid elsewhere covers
 * it, and what earlier calls from the same place have paid does not.
 */
final class CallAcquisition extends Acquisition {

	private final Acquisition request;

	private final PaidPermits calls;

	private final Object place;

	CallAcquisition(Acquisition request, PaidPermits calls, Object place) {
		super(request.clock, request.room, Long.MAX_VALUE);
		this.request = request;
		this.calls = calls;
		this.place = place;
	}

	@Override
	JointPermits open(Supplier<RateLimitSession> sessions) {
		return this.request.joint(sessions).call();
	}

	@Override
	boolean hasPaidNothing(PermitRequest request) {
		return false;
	}

	@Override
	long earlierCost(PermitRequest request) {
		return this.calls.cost(this.place, request);
	}

	@Override
	long paid(PermitRequest request) {
		return this.request.paid(request);
	}

	@Override
	void note(UnpaidPermits paid) {
		paid.unpaid().forEach(this.calls::addPaid);
		long[] costs = paid.costs();
		for (int i = 0; i < costs.length; i++) {
			this.calls.setCost(this.place, paid.requests().get(i), costs[i]);
		}
	}

}
