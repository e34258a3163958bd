package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimitDecision;
import org.jspecify.annotations.Nullable;

/**
 * A look at whether all policies would let a request pass. Nothing is taken.
 */
final class PermitLook {

	private PermitLook() {
	}

	/**
	 * Whether all policies would let the request pass at this moment.
	 * @param requests what would be taken
	 * @return {@code false} if one would reject
	 */
	static boolean wouldPass(Acquisition acquisition, List<PermitRequest> requests) {
		List<PermitRequest> enforced = new ArrayList<>(requests.size());
		for (PermitRequest request : Ledger.distinct(requests)) {
			if (request.effectivePolicy().isRefusing()) {
				return false;
			}
			long unpaid = acquisition.unpaid(request);
			if (unpaid > 0 && request.effectivePolicy().isEnforced()) {
				enforced.add(request.of(unpaid));
			}
		}
		if (enforced.isEmpty()) {
			return true;
		}

		List<PermitRequest> looks = enforced.stream().map((request) -> request.of(0)).toList();
		List<@Nullable RateLimitDecision> left = acquisition.session(looks.get(0).limiter())
			.decide(PermitRequest.looks(looks));
		for (int i = 0; i < left.size(); i++) {
			RateLimitDecision decision = left.get(i);
			if (decision != null && enforced.get(i).lacksPermits(decision)) {
				return false;
			}
		}
		return true;
	}

}
