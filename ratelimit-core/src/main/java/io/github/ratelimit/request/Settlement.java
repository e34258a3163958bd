package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

import io.github.ratelimit.RateLimitDecision;
import org.jspecify.annotations.Nullable;

/**
 * Settles, once, what one request or call was given with a charge, and what it would have
 * been given in shadow.
 */
final class Settlement {

	private final AtomicBoolean settled = new AtomicBoolean();

	/* There is one of each policy and key. */
	private final List<Charged> charged = new ArrayList<>(1);

	private final List<InShadow> inShadow = new ArrayList<>(0);

	/**
	 * Begins the settlement, unless it has begun.
	 * @return whether the caller has begun it
	 */
	boolean tryBegin() {
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
	 * Lets a location charge what it has asked for, even if an earlier one has paid. The
	 * last of several charges it: that is the one closest to what was done.
	 */
	void charge(PermitRequest request, Charge charge, boolean inShadow) {
		Charged last = new Charged(request, charge, inShadow);
		for (int i = 0; i < this.charged.size(); i++) {
			Charged earlier = this.charged.get(i);
			if (earlier.isOf(request, inShadow)) {
				if (!charge.isWrittenAs(earlier.charge)) {
					this.charged.set(i, last);
				}
				return;
			}
		}

		this.charged.add(last);
	}

	/**
	 * Whether a location charges what was given.
	 */
	boolean charges(PermitRequest request) {
		return this.charged.stream().anyMatch((each) -> each.isOf(request, false));
	}

	/**
	 * Whether what was given is charged if an authentication has failed.
	 */
	boolean chargesAuthentication(PermitRequest request) {
		return this.charged.stream().anyMatch((each) -> each.isOf(request, false) && each.charge.readsAuthentication());
	}

	/**
	 * Whether a charge may take its time, or a request that is charged.
	 */
	boolean mayBlock(Predicate<PermitRequest> request) {
		return this.charged.stream().anyMatch((each) -> each.charge.mayBlock() || request.test(each.request));
	}

	/**
	 * Whether a charge reads the authenticated user, or may read it.
	 */
	boolean readsPrincipal() {
		return this.charged.stream().anyMatch((each) -> each.charge.readsPrincipal());
	}

	/**
	 * Whether a charge is to see each element of what is returned.
	 */
	boolean countsElements() {
		return this.charged.stream().anyMatch((each) -> each.charge.countsElements());
	}

	/**
	 * Counts an element once for each charge: what is tried in shadow on the same
	 * requests has the same one.
	 */
	void count(@Nullable Object element) {
		for (int i = 0; i < this.charged.size(); i++) {
			Charge charge = this.charged.get(i).charge;
			if (!isAmongFirst(charge, i)) {
				charge.count(element);
			}
		}
	}

	private boolean isAmongFirst(Charge charge, int count) {
		for (int i = 0; i < count; i++) {
			if (this.charged.get(i).charge == charge) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Settles what was given, of each policy and key together.
	 * @param enforced what the request or call was given, in order
	 * @param outcome how all has ended
	 * @param ledger what calls have cost, or {@code null} if nothing was noted
	 * @param location where the call was made, or {@code null} for the request itself, of
	 * which nothing more is asked
	 */
	void settle(List<? extends Given> enforced, CallOutcome outcome, @Nullable Ledger ledger,
			@Nullable Object location) {
		for (Charged charged : this.charged) {
			List<? extends Given> all = charged.inShadow ? this.inShadow : enforced;
			List<Given> given = new ArrayList<>(1);
			long reserved = 0;
			for (Given each : all) {
				long taken = each.taken();
				if (taken > 0 && each.request().isSameState(charged.request)) {
					given.add(each);
					reserved += taken;
				}
			}
			if (given.isEmpty()) {
				continue;
			}

			long change = charged.charge.used(reserved, outcome) - reserved;
			settle(given, change);
			if (ledger != null && location != null) {
				ledger.settle(charged.request, location, charged.inShadow, change);
			}
		}
	}

	/*
	 * What was taken last is refunded first.
	 */
	private static void settle(List<Given> same, long change) {
		long rest = change;
		int last = same.size() - 1;
		do {
			Given given = same.get(last);
			long taken = given.taken();
			long part = Math.max(rest, -taken);
			given.settle(taken, taken + part);

			rest -= part;
			last--;
		}
		while (rest != 0 && last >= 0);
	}

	private record Charged(PermitRequest request, Charge charge, boolean inShadow) {

		boolean isOf(PermitRequest request, boolean inShadow) {
			return this.inShadow == inShadow && this.request.isSameState(request);
		}

	}

	/**
	 * The permits that a policy has given, or would have given.
	 */
	interface Given {

		PermitRequest request();

		/**
		 * How many permits were taken: 0 if the policy has rejected or they were
		 * refunded. Of what is decided in shadow, how many are taken if the policy
		 * allows, which need not be known yet.
		 */
		long taken();

		/**
		 * Charges another number of permits than were taken, or the same.
		 */
		void settle(long taken, long used);

	}

	/**
	 * The permits that a policy would have given, which may not be known yet.
	 */
	record InShadow(PermitRequest request, CompletionStage<RateLimitDecision> decision) implements Given {

		@Override
		public long taken() {
			return this.request.permits();
		}

		@Override
		public void settle(long taken, long used) {
			if (used == taken) {
				return;
			}
			this.decision.thenAccept((given) -> {
				if (given.allowed()) {
					this.request.effectivePolicy().settleInShadow(this.request.key(), taken, used, given);
				}
			});
		}

	}

}
