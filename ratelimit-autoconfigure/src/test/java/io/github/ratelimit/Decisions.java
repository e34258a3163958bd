package io.github.ratelimit;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Every number of a decision, for tests that compare whole decisions.
 */
public final class Decisions {

	private Decisions() {
	}

	/**
	 * Writes out a decision.
	 * @param decision the decision
	 * @return all that it says, and all that each of its limits says
	 */
	public static String describe(RateLimitDecision decision) {
		return describe(decision, decision.limits());
	}

	/**
	 * Writes out the common decision of several limits.
	 * @param common what they say together
	 * @param limits what each says
	 * @return all of it
	 */
	public static String describe(RateLimitDecision common, List<RateLimitDecision> limits) {
		String own = "%s at %d: remaining %d, delay %d, retry %d, reset %d, next %d".formatted(
				common.allowed() ? "allowed" : "rejected", common.decidedAtNanos(), common.remaining(),
				common.delayNanos(), common.retryAfterNanos(), common.resetAfterNanos(), common.nextPermitAfterNanos());
		return (limits.size() == 1) ? own
				: own + limits.stream().map(Decisions::describe).collect(Collectors.joining("; ", " [", "]"));
	}

}
