package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.request.Acquisition.Entry;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * What the store is asked for one location.
 *
 * @param enforced what the location asks of policies that are enforced
 * @param unpaid the part of it that nothing has paid for
 * @param longestWaitNanos a policy that could delay the request for longer does not
 */
record AskedPermits(List<PermitRequest> enforced, List<PermitRequest> unpaid, long longestWaitNanos) {

	/**
	 * A look at what each policy has left, which takes nothing.
	 */
	static AskedPermits look(List<PermitRequest> looks) {
		return new AskedPermits(List.of(), looks, Long.MAX_VALUE);
	}

	StoreRateLimiter limiter() {
		return this.unpaid.get(0).limiter();
	}

	List<RateLimitSession.Question> questions() {
		List<RateLimitSession.Question> questions = new ArrayList<>(this.unpaid.size());
		for (PermitRequest request : this.unpaid) {
			questions.add(request.question(this.longestWaitNanos));
		}
		return questions;
	}

	/* A policy that was not asked has no entry. */
	List<Entry> entries(List<@Nullable RateLimitDecision> decisions) {
		List<Entry> entries = new ArrayList<>(this.unpaid.size());
		for (int i = 0; i < this.unpaid.size(); i++) {
			RateLimitDecision decision = decisions.get(i);
			if (decision != null) {
				entries.add(new Entry(this.unpaid.get(i), decision));
			}
		}
		return entries;
	}

}
