package io.github.ratelimit.enforce;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.expression.CallOutcome;
import io.github.ratelimit.expression.Charge;
import org.jspecify.annotations.Nullable;

/**
 * What is to be settled of an acquisition when all is over, once: what was given with a
 * charge, and what would have been in shadow.
 */
final class PendingSettlement {

	private final AtomicBoolean settled = new AtomicBoolean();

	private final Acquisition acquisition;

	private @Nullable ShadowReservations inShadow;

	PendingSettlement(Acquisition acquisition) {
		this.acquisition = acquisition;
	}

	boolean isSettled() {
		return this.settled.get();
	}

	void reserveInShadow(PermitRequest request, Charge charge, Shadow shadow,
			CompletionStage<RateLimitDecision> decision) {
		ShadowReservations reserved = this.inShadow;
		if (reserved == null) {
			reserved = new ShadowReservations();
			this.inShadow = reserved;
		}
		reserved.add(request, charge, shadow, decision);
	}

	/**
	 * Lets a place charge in shadow what another has asked for already.
	 */
	void chargeInShadowBy(PermitRequest request, Charge charge) {
		if (this.inShadow != null) {
			this.inShadow.chargeBy(request, charge);
		}
	}

	/**
	 * Whether a charge reads the authenticated user, or may read it.
	 */
	boolean readsPrincipal() {
		for (Acquisition.Entry entry : this.acquisition.entries) {
			Charge charge = entry.request().charge();
			if (charge != null && charge.readsPrincipal()) {
				return true;
			}
		}
		return this.inShadow != null && this.inShadow.readPrincipal();
	}

	void settle(CallOutcome outcome) {
		if (!this.settled.compareAndSet(false, true)) {
			return;
		}
		Settlement.settle(this.acquisition, outcome);
		if (this.inShadow != null) {
			this.inShadow.settle(this.acquisition, outcome);
		}
	}

}
