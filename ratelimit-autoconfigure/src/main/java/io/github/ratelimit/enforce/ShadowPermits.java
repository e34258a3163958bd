package io.github.ratelimit.enforce;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.expression.Charge;
import org.jspecify.annotations.Nullable;

/**
 * What one request is asked in shadow on its way, whatever is enforced there: of each
 * policy and key as much as enforcement would ask, so that a request that meets them in
 * more than one place is asked once.
 */
final class ShadowPermits {

	/* Nearly always the only one, and then nothing else is needed. */
	private @Nullable PermitRequest first;

	private @Nullable PaidPermits asked;

	/**
	 * Whether a policy decides in shadow.
	 */
	static boolean concern(List<PermitRequest> requests) {
		for (int i = 0; i < requests.size(); i++) {
			if (requests.get(i).version().shadow != null) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Asks in shadow what one place asks for.
	 * @param requests what the place asks for
	 * @param acquisition what the place acquires
	 * @return what to enforce
	 */
	List<PermitRequest> ask(List<PermitRequest> requests, Acquisition acquisition) {
		Object place = acquisition.place();
		long[] costs = new long[requests.size()];
		boolean all = true;
		for (int i = 0; i < costs.length; i++) {
			PermitRequest request = requests.get(i);
			Shadow shadow = request.version().shadow;
			if (shadow != null) {
				costs[i] = ask(request, shadow, acquisition, place);
				all &= isEnforced(request);
			}
		}
		if (place != null) {
			note(requests, costs, place);
		}
		return all ? requests : requests.stream().filter(ShadowPermits::isEnforced).toList();
	}

	private static boolean isEnforced(PermitRequest request) {
		return request.version().isEnforced();
	}

	private long ask(PermitRequest request, Shadow shadow, Acquisition acquisition, @Nullable Object place) {
		if (place == null && this.first == null && this.asked == null) {
			this.first = request;
			ask(request, shadow, acquisition);
			return request.permits();
		}
		PaidPermits asked = asked();
		long cost = ((place != null) ? asked.cost(place, request) : 0) + request.permits();
		long rest = cost - asked.paid(request);
		if (rest > 0) {
			PermitRequest unasked = request.of(rest);
			asked.addPaid(unasked);
			ask(unasked, shadow, acquisition);
		}
		else if (place == null && request.charge() != null) {
			acquisition.pending().chargeInShadowBy(request, request.charge());
		}
		return cost;
	}

	private static void ask(PermitRequest request, Shadow shadow, Acquisition acquisition) {
		request.limiter().observeInShadow(request.version(), request.key(), request.permits());
		Charge charge = request.charge();
		if (charge == null) {
			shadow.ask(request.key(), request.permits());
			return;
		}
		CompletionStage<RateLimitDecision> decision = shadow.reserve(request.key(), request.permits());
		acquisition.pending().reserveInShadow(request, charge, shadow, decision);
	}

	/**
	 * Corrects what a call within the request has cost, once it is known.
	 */
	void settle(Object place, PermitRequest request, long change) {
		asked().settle(place, request, change);
	}

	private PaidPermits asked() {
		PaidPermits asked = this.asked;
		if (asked == null) {
			asked = new PaidPermits();
			if (this.first != null) {
				asked.addPaid(this.first);
			}
			this.asked = asked;
		}
		return asked;
	}

	/*
	 * Only then, because what one place asks for twice at once is asked once.
	 */
	private void note(List<PermitRequest> requests, long[] costs, Object place) {
		PaidPermits asked = asked();
		for (int i = 0; i < costs.length; i++) {
			if (costs[i] > 0) {
				asked.setCost(place, requests.get(i), costs[i]);
			}
		}
	}

}
