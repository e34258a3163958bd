package io.github.ratelimit.enforce;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.github.ratelimit.enforce.Acquisition.Entry;

/**
 * Lists of what policies were asked and said, which are never changed, but replaced:
 * nearly always there is one entry.
 */
final class Entries {

	private Entries() {
	}

	static List<Entry> with(List<Entry> entries, Entry more) {
		if (entries.isEmpty()) {
			return List.of(more);
		}
		List<Entry> all = new ArrayList<>(entries.size() + 1);
		all.addAll(entries);
		all.add(more);
		return Collections.unmodifiableList(all);
	}

	/**
	 * Whether a policy and key was asked.
	 */
	static boolean contain(List<Entry> entries, PermitRequest request) {
		for (int i = 0; i < entries.size(); i++) {
			if (entries.get(i).request().isSameState(request)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * What was taken of a policy and key.
	 */
	static long taken(List<Entry> entries, PermitRequest request) {
		long taken = 0;
		for (int i = 0; i < entries.size(); i++) {
			Entry entry = entries.get(i);
			taken += entry.request().isSameState(request) ? entry.taken() : 0;
		}
		return taken;
	}

	/**
	 * Lets a place charge what another has paid for it already.
	 * @param entries what was paid
	 * @param request what the place asks for, with its charge
	 * @return the same, if nothing was paid, or with the same charge
	 */
	static List<Entry> chargedBy(List<Entry> entries, PermitRequest request) {
		int last = entries.size() - 1;
		while (last >= 0 && !entries.get(last).isPaymentOf(request)) {
			last--;
		}
		if (last < 0 || entries.get(last).request().isChargedAs(request)) {
			return entries;
		}
		List<Entry> charged = new ArrayList<>(entries);
		Entry paid = entries.get(last);
		charged.set(last, new Entry(paid.request().chargedAs(request), paid.decision()));
		return Collections.unmodifiableList(charged);
	}

}
