package io.github.ratelimit.test.model;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitReceipt;

/**
 * Every number of a decision, for tests that compare whole decisions.
 *
 * @since 0.1.0
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
	public static String describe(RateLimitDecision common, List<? extends LimitStatus> limits) {
		RateLimitReceipt receipt = RateLimitReceipt.of(common);
		String own = describe(common, receipt.decidedAtNanos(0)) + ban(common);
		return (limits.size() == 1) ? own
				: IntStream.range(0, limits.size())
					.mapToObj((i) -> describe(limits.get(i), receipt.decidedAtNanos(i)))
					.collect(Collectors.joining("; ", own + " [", "]"));
	}

	private static String ban(RateLimitDecision decision) {
		return (decision.newBan() > 0) ? ", ban " + decision.newBan() : decision.banned() ? ", banned" : "";
	}

	private static String describe(LimitStatus status, long decidedAtNanos) {
		return (status.allowed() ? "allowed" : "rejected") + " at " + decidedAtNanos + ": remaining "
				+ status.remaining() + ", delay " + status.delayNanos() + ", retry " + status.retryAfterNanos()
				+ ", reset " + status.resetAfterNanos() + ", next " + status.nextPermitAfterNanos();
	}

}
