package io.github.ratelimit.enforce;

import java.util.function.Supplier;

import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * The permits of one call within a request. What the request has paid elsewhere covers
 * it, and what earlier calls from the same place have paid does not.
 */
final class CallAcquisition extends Acquisition {

	private final Acquisition outer;

	private final PaidPermits calls;

	private final Object place;

	CallAcquisition(Acquisition outer, PaidPermits calls, Object place) {
		super(outer.clock, outer.room, Long.MAX_VALUE);
		this.outer = outer;
		this.calls = calls;
		this.place = place;
	}

	@Override
	JointPermits open(Supplier<RateLimitSession> sessions) {
		return this.outer.joint(sessions).call();
	}

	@Override
	ShadowPermits shadows() {
		return this.outer.shadows();
	}

	@Override
	Object place() {
		return this.place;
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
		return this.outer.paid(request);
	}

	@Override
	@Nullable Boolean authenticationFailed(boolean failed) {
		LimitedHttpRequest request = this.outer.request;
		return (request != null) ? request.hasFailedAuthentication(failed) : null;
	}

	@Override
	void noteSettled(PermitRequest request, long reserved, long used) {
		this.calls.settle(this.place, request, used - reserved);
	}

	@Override
	void noteSettledInShadow(PermitRequest request, long change) {
		shadows().settle(this.place, request, change);
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
