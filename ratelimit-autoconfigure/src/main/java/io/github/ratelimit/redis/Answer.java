package io.github.ratelimit.redis;

import java.util.function.Consumer;

import io.github.ratelimit.RateLimitDecision;

/**
 * What Redis said of a key, until somebody has made use of it.
 */
final class Answer {

	private final RateLimitDecision decision;

	private final long answeredAt;

	private volatile boolean used;

	Answer(RateLimitDecision decision, long answeredAt) {
		this.decision = decision;
		this.answeredAt = answeredAt;
	}

	long answeredAt() {
		return this.answeredAt;
	}

	/**
	 * Makes use of the answer once. Others wait until that is done.
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
