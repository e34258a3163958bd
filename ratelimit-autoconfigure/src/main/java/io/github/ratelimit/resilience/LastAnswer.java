package io.github.ratelimit.resilience;

import java.util.function.Consumer;

import io.github.ratelimit.RateLimitDecision;

/**
 * The store's last answer on a key, which the first decision of an outage starts from.
 */
final class LastAnswer {

	private final RateLimitDecision decision;

	private final long answeredAt;

	private volatile boolean used;

	LastAnswer(RateLimitDecision decision, long answeredAt) {
		this.decision = decision;
		this.answeredAt = answeredAt;
	}

	long answeredAt() {
		return this.answeredAt;
	}

	/**
	 * Uses the answer once. Other callers wait until that is done.
	 */
	void useOnce(Consumer<RateLimitDecision> use) {
		if (!this.used) {
			useFirst(use);
		}
	}

	private synchronized void useFirst(Consumer<RateLimitDecision> use) {
		if (!this.used) {
			use.accept(this.decision);
			this.used = true;
		}
	}

}
