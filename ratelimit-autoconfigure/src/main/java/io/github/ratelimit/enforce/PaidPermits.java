package io.github.ratelimit.enforce;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What the calls within one request have paid, for each policy and key: a place that
 * calls again pays again, while another place is covered by what was paid already.
 */
final class PaidPermits {

	/* A request that calls with ever new keys does not grow without bound. */
	private static final int MOST_STATES = 1024;

	private final Map<State, Payment> payments = new HashMap<>();

	/**
	 * What has been paid, from all places.
	 */
	synchronized long paid(PermitRequest request) {
		Payment payment = this.payments.get(State.of(request));
		return (payment != null) ? payment.paid : 0;
	}

	/**
	 * How many permits the calls from one place have cost.
	 */
	synchronized long cost(Object place, PermitRequest request) {
		Payment payment = this.payments.get(State.of(request));
		return (payment != null) ? payment.costs.getOrDefault(place, 0L) : 0;
	}

	synchronized void addPaid(PermitRequest request) {
		Payment payment = payment(State.of(request));
		if (payment != null) {
			payment.paid += request.permits();
		}
	}

	synchronized void setCost(Object place, PermitRequest request, long cost) {
		Payment payment = payment(State.of(request));
		if (payment != null) {
			payment.costs.merge(place, cost, Math::max);
		}
	}

	/**
	 * Corrects what a place has cost and paid, once it is known. A call may be over on
	 * another thread.
	 */
	synchronized void settle(Object place, PermitRequest request, long change) {
		Payment payment = this.payments.get(State.of(request));
		if (payment != null) {
			payment.paid = Math.max(0, payment.paid + change);
			payment.costs.computeIfPresent(place, (same, cost) -> Math.max(0, cost + change));
		}
	}

	private @Nullable Payment payment(State state) {
		Payment payment = this.payments.get(state);
		if (payment == null && this.payments.size() < MOST_STATES) {
			payment = new Payment();
			this.payments.put(state, payment);
		}
		return payment;
	}

	private record State(StoreRateLimiter limiter, String key) {

		static State of(PermitRequest request) {
			return new State(request.limiter(), request.key());
		}

	}

	private static final class Payment {

		private final Map<Object, Long> costs = new HashMap<>(2);

		private long paid;

	}

}
