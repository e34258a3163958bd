package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ObjLongConsumer;

import io.github.ratelimit.RateLimitDecision;

/**
 * Settles, once, what one request or call was given with a charge, and what it would have
 * been given in shadow.
 */
final class Settlement {

	private final AtomicBoolean settled = new AtomicBoolean();

	private final List<InShadow> inShadow = new ArrayList<>(0);

	/**
	 * Begins the settlement, unless it has begun.
	 */
	boolean begin() {
		return this.settled.compareAndSet(false, true);
	}

	boolean hasBegun() {
		return this.settled.get();
	}

	/**
	 * Notes what is charged in shadow.
	 */
	void add(InShadow given) {
		this.inShadow.add(given);
	}

	/**
	 * Lets a place charge in shadow what another has asked for already.
	 */
	void chargeInShadowBy(PermitRequest request) {
		int paid = paymentToCharge(this.inShadow, request);
		if (paid >= 0) {
			InShadow given = this.inShadow.get(paid);
			this.inShadow.set(paid, new InShadow(given.request.chargedAs(request), given.decision));
		}
	}

	/**
	 * What a place that was covered charges instead of the place that has paid.
	 * @param given what was paid
	 * @param request what the place asks for, with its charge
	 * @return the index of the last payment; -1 if nothing was paid, or with the same
	 * charge
	 */
	static int paymentToCharge(List<? extends Given> given, PermitRequest request) {
		int last = given.size() - 1;
		while (last >= 0 && !isPaymentOf(given.get(last), request)) {
			last--;
		}
		return (last >= 0 && !given.get(last).request().isChargedAs(request)) ? last : -1;
	}

	private static boolean isPaymentOf(Given given, PermitRequest request) {
		return given.taken() > 0 && given.request().isSameState(request);
	}

	/**
	 * Whether a charge reads the authenticated user, or may read it.
	 * @param enforced what the request was given
	 */
	boolean readsPrincipal(List<Acquisition.Entry> enforced) {
		return readPrincipal(enforced) || readPrincipal(this.inShadow);
	}

	private static boolean readPrincipal(List<? extends Given> given) {
		for (Given each : given) {
			Charge charge = each.request().charge();
			if (charge != null && charge.readsPrincipal()) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Settles what was given in shadow.
	 * @param outcome how all has ended
	 * @param settled is told by how much each policy's charge differs from what it gave
	 */
	void settleInShadow(CallOutcome outcome, ObjLongConsumer<PermitRequest> settled) {
		settle(this.inShadow, outcome, settled);
	}

	/**
	 * Settles what was given, of each policy and key together. The last of several places
	 * charges it: that is the one closest to what was done.
	 * @param given what was given, in order
	 * @param outcome how all has ended
	 * @param settled is told by how much each policy's charge differs from what it gave
	 */
	static void settle(List<? extends Given> given, CallOutcome outcome, ObjLongConsumer<PermitRequest> settled) {
		for (int i = given.size() - 1; i >= 0; i--) {
			PermitRequest request = given.get(i).request();
			Charge charge = request.charge();
			if (charge != null && given.get(i).taken() > 0 && isLast(given, i)) {
				List<? extends Given> same = given.stream().filter((each) -> isPaymentOf(each, request)).toList();
				long reserved = same.stream().mapToLong(Given::taken).sum();
				long change = charge.used(reserved, outcome) - reserved;
				settle(same, change);
				settled.accept(request, change);
			}
		}
	}

	private static boolean isLast(List<? extends Given> given, int index) {
		PermitRequest request = given.get(index).request();
		return given.subList(index + 1, given.size())
			.stream()
			.noneMatch((later) -> later.request().charge() != null && later.request().isSameState(request));
	}

	/*
	 * What was taken last is refunded first.
	 */
	private static void settle(List<? extends Given> same, long change) {
		long rest = change;
		int last = same.size() - 1;
		do {
			long part = Math.max(rest, -same.get(last).taken());
			same.get(last).settle(same.get(last).taken() + part);
			rest -= part;
			last--;
		}
		while (rest != 0 && last >= 0);
	}

	/**
	 * What a policy has given, or would have.
	 */
	interface Given {

		PermitRequest request();

		/**
		 * How many permits were taken; 0 of a rejection, and of what was refunded.
		 */
		long taken();

		/**
		 * Charges another number of permits than were taken, or the same.
		 */
		void settle(long used);

	}

	/**
	 * What a policy would have given, which may not be known yet.
	 */
	record InShadow(PermitRequest request, CompletionStage<RateLimitDecision> decision) implements Given {

		@Override
		public long taken() {
			return this.request.permits();
		}

		@Override
		public void settle(long used) {
			if (used == taken()) {
				return;
			}
			this.decision.thenAccept((given) -> {
				if (given.allowed()) {
					this.request.version().settleInShadow(this.request.key(), taken(), used, given);
				}
			});
		}

	}

}
