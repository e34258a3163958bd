package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * The entries of an acquisition that are refunded.
 *
 * @param acquisition has the entries
 * @param entries those whose permits go back
 * @param rest the others, which stay as they are
 */
record Refund(Acquisition acquisition, List<AcquisitionEntry> entries, List<AcquisitionEntry> rest) {

	/**
	 * Refunds them on the caller's thread, and asks what is left then.
	 */
	void run() {
		if (isEmpty()) {
			return;
		}

		RateLimitSession session = this.acquisition.session(this.entries.get(0).request().limiter());
		List<RateLimitSession.Given> given = given();
		if (!given.isEmpty()) {
			session.refund(given);
		}
		List<PermitRequest> looks = report();
		conclude(looks, session.decide(PermitRequest.looks(looks)));
	}

	boolean isEmpty() {
		return this.entries.isEmpty();
	}

	List<RateLimitSession.Given> given() {
		List<RateLimitSession.Given> given = new ArrayList<>(this.entries.size());
		for (AcquisitionEntry entry : this.entries) {
			if (entry.taken() > 0) {
				given.add(entry.request().given(entry.decision()));
			}
		}
		return given;
	}

	/**
	 * Reports what was refunded, the last first.
	 * @return what to ask next: what each policy has left then
	 */
	List<PermitRequest> report() {
		List<PermitRequest> looks = new ArrayList<>(this.entries.size());
		for (AcquisitionEntry entry : this.entries) {
			looks.add(entry.request().of(0));
		}
		for (int i = this.entries.size() - 1; i >= 0; i--) {
			AcquisitionEntry entry = this.entries.get(i);
			if (entry.taken() > 0) {
				entry.report(RateLimitOutcome.RETURNED);
			}
		}
		return Ledger.distinct(looks);
	}

	/**
	 * Notes that they were refunded.
	 * @param looks what was asked then
	 * @param left what each of these policies has left
	 */
	void conclude(List<PermitRequest> looks, List<@Nullable RateLimitDecision> left) {
		List<AcquisitionEntry> entries = new ArrayList<>(AcquisitionEntry.of(looks, left));
		entries.addAll(this.rest);
		this.acquisition.replaceEntries(entries);
	}

}
