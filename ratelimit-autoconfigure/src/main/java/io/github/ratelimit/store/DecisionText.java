package io.github.ratelimit.store;

import io.github.ratelimit.LimitStatus;

/**
 * A decision in a few words, for logs and failed assertions.
 */
final class DecisionText {

	private DecisionText() {
	}

	static String of(LimitStatus status) {
		String verdict = !status.allowed() ? "rejected, retry after " + status.retryAfter()
				: (status.delayNanos() > 0) ? "allowed after " + status.delay() : "allowed";
		return verdict + ", remaining " + status.remaining() + ", next permit after " + status.nextPermitAfter()
				+ ", reset after " + status.resetAfter();
	}

}
