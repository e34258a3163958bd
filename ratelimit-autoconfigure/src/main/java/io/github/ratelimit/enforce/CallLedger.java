package io.github.ratelimit.enforce;

import java.util.List;
import java.util.function.Supplier;

import io.github.ratelimit.store.RateLimitSession;

/**
 * What one call within a request was told. What the request has paid elsewhere covers it,
 * and what earlier calls from the same place have paid does not.
 */
final class CallLedger extends PermitLedger {

	private final PermitLedger request;

	private final PaidPermits calls;

	private final Object place;

	CallLedger(PermitLedger request, PaidPermits calls, Object place) {
		super(request);
		this.request = request;
		this.calls = calls;
		this.place = place;
	}

	@Override
	JointPermits open(Supplier<RateLimitSession> sessions) {
		return this.request.joint(sessions).call();
	}

	@Override
	boolean hasPaid() {
		return true;
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
	void note(List<PermitRequest> requests, long[] costs, List<PermitRequest> paid) {
		paid.forEach(this.calls::addPaid);
		for (int i = 0; i < costs.length; i++) {
			this.calls.setCost(this.place, requests.get(i), costs[i]);
		}
	}

}
