package io.github.ratelimit.remote;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimitDecision;
import org.jspecify.annotations.Nullable;

/**
 * One decision of several policies, which takes from all of them or from none. For each,
 * either the store decides or its fallback.
 */
final class MultiPolicyDecision {

	private final List<PolicyCall> parts;

	private final JointCalls calls;

	private boolean triesAgain;

	MultiPolicyDecision(List<PolicyCall> parts, JointCalls calls) {
		this.parts = parts;
		this.calls = calls;
	}

	/**
	 * Decides.
	 * @param now this process' time
	 * @param deadline until when to wait for the store
	 * @return the decision of each policy, or {@code null} if it was not asked
	 */
	List<@Nullable RateLimitDecision> decide(long now, Deadline deadline) {
		if (!isKnownToBeRejected(now)) {
			share(deadline);
			if (this.triesAgain || !isRejectedLocally()) {
				decideRemotely(deadline);
			}
		}
		if (isRejected()) {
			this.calls.undo(this.parts);
		}
		List<@Nullable RateLimitDecision> decisions = new ArrayList<>(this.parts.size());
		this.parts.forEach((part) -> decisions.add(part.decision()));
		return decisions;
	}

	private boolean isRejected() {
		return this.parts.stream().anyMatch(PolicyCall::isRejected);
	}

	private boolean isKnownToBeRejected(long now) {
		for (PolicyCall part : this.parts) {
			part.recall(now);
			if (part.isRejected()) {
				return true;
			}
		}
		return false;
	}

	/*
	 * The one request that tries a server again must ask it.
	 */
	private void share(Deadline deadline) {
		if (this.calls.isOver(deadline)) {
			return;
		}
		Map<Breaker, Boolean> reachable = new HashMap<>();
		for (PolicyCall part : this.parts) {
			if (part.decision() == null) {
				part.share(reachable.computeIfAbsent(part.breaker(), this::mayCall));
			}
		}
	}

	private boolean mayCall(Breaker breaker) {
		boolean available = breaker.isAvailable();
		boolean may = breaker.mayCall();
		this.triesAgain |= may && !available;
		return may;
	}

	private void decideRemotely(Deadline deadline) {
		List<PolicyCall> shared = this.parts.stream().filter(PolicyCall::isShared).toList();
		if (!shared.isEmpty()) {
			this.calls.decide(shared, deadline);
		}
		if (!isRejected() && !isRejectedLocally()) {
			decideLocally();
		}
	}

	/*
	 * Looking first keeps a request that one policy rejects from writing to the others.
	 */
	private boolean isRejectedLocally() {
		for (PolicyCall part : this.parts) {
			if (this.parts.size() > 1 && isLocal(part) && part.lacksPermitsLocally()) {
				part.decideLocally();
				if (part.isRejected()) {
					return true;
				}
			}
		}
		return false;
	}

	private void decideLocally() {
		for (PolicyCall part : this.parts) {
			if (isLocal(part)) {
				part.decideLocally();
				if (part.isRejected() && part.permits() > 0) {
					return;
				}
			}
		}
	}

	private static boolean isLocal(PolicyCall part) {
		return part.decision() == null && !part.isShared();
	}

}
