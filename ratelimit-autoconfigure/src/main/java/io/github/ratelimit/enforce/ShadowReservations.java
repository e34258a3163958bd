package io.github.ratelimit.enforce;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.expression.CallOutcome;
import io.github.ratelimit.expression.Charge;

/**
 * What a request or call has asked for in shadow and is charged by its outcome, settled
 * as it would be if it were enforced.
 */
final class ShadowReservations {

	private final List<Reservation> reservations = new ArrayList<>(1);

	void add(PermitRequest request, Charge charge, Shadow shadow, CompletionStage<RateLimitDecision> decision) {
		this.reservations.add(new Reservation(request, charge, shadow, decision));
	}

	/**
	 * Lets a place charge the request that has nothing left to ask for.
	 */
	void chargeBy(PermitRequest request, Charge charge) {
		for (int i = this.reservations.size() - 1; i >= 0; i--) {
			Reservation reserved = this.reservations.get(i);
			if (reserved.request.isSameState(request)) {
				if (reserved.charge.isWrittenAs(charge)) {
					return;
				}
				this.reservations.set(i, new Reservation(reserved.request, charge, reserved.shadow, reserved.decision));
				return;
			}
		}
	}

	/**
	 * Whether a charge reads the authenticated user, or may read it.
	 */
	boolean readPrincipal() {
		return this.reservations.stream().anyMatch((reservation) -> reservation.charge.readsPrincipal());
	}

	/**
	 * Settles all, as soon as it is known what was given.
	 * @param acquisition what the request or call acquires
	 * @param outcome how it has ended
	 */
	void settle(Acquisition acquisition, CallOutcome outcome) {
		for (int i = this.reservations.size() - 1; i >= 0; i--) {
			if (isLast(i)) {
				settle(this.reservations.get(i), acquisition, outcome);
			}
		}
	}

	/*
	 * The last of several places is the one closest to what was done.
	 */
	private boolean isLast(int index) {
		return this.reservations.subList(index + 1, this.reservations.size())
			.stream()
			.noneMatch(this.reservations.get(index)::isOfSameState);
	}

	/*
	 * What was asked last is given back first.
	 */
	private void settle(Reservation last, Acquisition acquisition, CallOutcome outcome) {
		List<Reservation> same = this.reservations.stream().filter(last::isOfSameState).toList();
		long reserved = same.stream().mapToLong((reservation) -> reservation.request.permits()).sum();
		long change = last.charge.used(reserved, outcome) - reserved;
		acquisition.noteSettledInShadow(last.request, change);
		for (int i = same.size() - 1; i >= 0 && change != 0; i--) {
			long part = Math.max(change, -same.get(i).request.permits());
			same.get(i).settle(part);
			change -= part;
		}
	}

	private record Reservation(PermitRequest request, Charge charge, Shadow shadow,
			CompletionStage<RateLimitDecision> decision) {

		boolean isOfSameState(Reservation other) {
			return this.request.isSameState(other.request);
		}

		void settle(long change) {
			this.decision.thenAccept((given) -> {
				if (given.allowed()) {
					long reserved = this.request.permits();
					this.shadow.settle(this.request.key(), reserved, reserved + change, given);
				}
			});
		}

	}

}
