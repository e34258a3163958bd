package io.github.ratelimit.store;

import java.time.Duration;

import io.github.ratelimit.DurationText;
import io.github.ratelimit.LimitStatus;

/**
 * A decision in a few words, for logs and failed assertions.
 */
final class DecisionText {

	private DecisionText() {
	}

	static String of(LimitStatus status) {
		return verdict(status) + ", remaining " + status.remaining() + ", next permit after "
				+ DurationText.of(status.nextPermitAfter()) + ", reset after " + DurationText.of(status.resetAfter());
	}

	private static String verdict(LimitStatus status) {
		if (status.allowed()) {
			return (status.delayNanos() > 0) ? "allowed after " + DurationText.of(status.delay()) : "allowed";
		}
		Duration retryAfter = status.retryAfter();
		return (retryAfter != null) ? "rejected, retry after " + DurationText.of(retryAfter) : "rejected permanently";
	}

}
