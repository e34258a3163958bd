package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.request.Acquisition.Entry;
import io.github.ratelimit.store.RateLimitSession;

/**
 * The entries of an acquisition that are refunded.
 *
 * @param entries those whose permits go back
 * @param rest the others, which stay as they are
 */
record Refund(List<Entry> entries, List<Entry> rest) {

	StoreRateLimiter limiter() {
		return this.entries.get(0).request().limiter();
	}

	List<RateLimitSession.Given> given() {
		List<RateLimitSession.Given> given = new ArrayList<>(this.entries.size());
		for (Entry entry : this.entries) {
			long taken = entry.taken();
			if (taken > 0) {
				given.add(entry.effectivePolicy().given(entry.request().key(), taken, entry.decision()));
			}
		}
		return given;
	}

	/**
	 * Reports what was refunded, the last first.
	 * @return what to ask next: what each policy has left then
	 */
	AskedPermits report() {
		List<PermitRequest> looks = new ArrayList<>(this.entries.size());
		for (Entry entry : this.entries) {
			looks.add(entry.request().of(0));
		}
		for (int i = this.entries.size() - 1; i >= 0; i--) {
			Entry entry = this.entries.get(i);
			if (entry.taken() > 0) {
				entry.report(RateLimitOutcome.RETURNED);
			}
		}
		return AskedPermits.look(Ledger.distinct(looks));
	}

}
