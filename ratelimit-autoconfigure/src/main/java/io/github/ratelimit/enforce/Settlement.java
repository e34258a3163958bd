package io.github.ratelimit.enforce;

import java.util.List;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.expression.CallOutcome;
import io.github.ratelimit.expression.Charge;

/**
 * Settles what one request has reserved of a policy and key, in one place or several,
 * with what it is charged in the end.
 */
final class Settlement {

	private final List<Acquisition.Entry> entries;

	private final PermitRequest last;

	private Settlement(List<Acquisition.Entry> entries, PermitRequest last) {
		this.entries = entries;
		this.last = last;
	}

	/**
	 * Settles what a request has reserved.
	 * @param acquisition where it has reserved
	 * @param outcome how it has ended
	 */
	static void settle(Acquisition acquisition, CallOutcome outcome) {
		List<Acquisition.Entry> entries = acquisition.entries;
		for (int i = entries.size() - 1; i >= 0; i--) {
			PermitRequest request = entries.get(i).request();
			Charge charge = request.charge();
			if (charge != null && entries.get(i).taken() > 0 && isLast(entries, i)) {
				Settlement settlement = new Settlement(entries, request);
				long reserved = settlement.reserved();
				long used = charge.used(reserved, outcome);
				settlement.settle(reserved, used);
				acquisition.noteSettled(request, reserved, used);
			}
		}
	}

	/*
	 * The last of several places is the one closest to what was done.
	 */
	private static boolean isLast(List<Acquisition.Entry> entries, int index) {
		for (int i = index + 1; i < entries.size(); i++) {
			PermitRequest later = entries.get(i).request();
			if (later.charge() != null && later.isSameState(entries.get(index).request())) {
				return false;
			}
		}
		return true;
	}

	private long reserved() {
		long reserved = 0;
		for (int i = 0; i < this.entries.size(); i++) {
			reserved += isSettled(i) ? this.entries.get(i).taken() : 0;
		}
		return reserved;
	}

	private boolean isSettled(int index) {
		return this.entries.get(index).request().isSameState(this.last);
	}

	/*
	 * What was taken last is given back first.
	 */
	private void settle(long reserved, long used) {
		if (used == reserved) {
			this.last.limiter().reports.add(RateLimitSettlement.KEPT);
			return;
		}
		long rest = used - reserved;
		for (int i = this.entries.size() - 1; i >= 0 && rest != 0; i--) {
			Acquisition.Entry entry = this.entries.get(i);
			long given = isSettled(i) ? given(i) : 0;
			if (given > 0) {
				long change = Math.max(rest, -given);
				entry.request().version().settle(this.last.key(), given, given + change, entry.decision());
				rest -= change;
			}
		}
	}

	/*
	 * Places that asked in one question were given their permits in one decision, which
	 * is counted where it comes last.
	 */
	private long given(int index) {
		RateLimitDecision decision = this.entries.get(index).decision();
		long given = 0;
		for (int i = 0; i < this.entries.size(); i++) {
			boolean same = isSettled(i) && this.entries.get(i).decision() == decision;
			if (same && i > index) {
				return 0;
			}
			given += same ? this.entries.get(i).taken() : 0;
		}
		return given;
	}

}
