package io.github.ratelimit.enforce;

import java.util.ArrayList;
import java.util.List;

/**
 * What is left to take of what one place asks for, after what the request has paid
 * already.
 *
 * @param requests what the place asks for
 * @param costs what the place has then cost, for each request
 * @param unpaid what is left to take
 */
record UnpaidPermits(List<PermitRequest> requests, long[] costs, List<PermitRequest> unpaid) {

	static UnpaidPermits of(List<PermitRequest> requests, Acquisition acquisition) {
		long[] costs = new long[requests.size()];
		List<PermitRequest> unpaid = new ArrayList<>(costs.length);
		for (int i = 0; i < costs.length; i++) {
			PermitRequest request = requests.get(i);
			long permits = request.permits();
			costs[i] = acquisition.earlierCost(request) + permits;
			long rest = costs[i] - acquisition.paid(request) - taken(request, unpaid);
			if (rest == permits) {
				unpaid.add(request);
			}
			else if (rest > 0) {
				unpaid.add(request.of(rest));
			}
		}
		return new UnpaidPermits(requests, costs, unpaid);
	}

	private static long taken(PermitRequest request, List<PermitRequest> soon) {
		long taken = 0;
		for (int i = 0; i < soon.size(); i++) {
			taken += soon.get(i).isSameState(request) ? soon.get(i).permits() : 0;
		}
		return taken;
	}

	boolean take(Acquisition acquisition, boolean needsPlace) {
		boolean taken = acquisition.take(this.unpaid, needsPlace);
		if (taken) {
			acquisition.note(this);
		}
		return taken;
	}

}
