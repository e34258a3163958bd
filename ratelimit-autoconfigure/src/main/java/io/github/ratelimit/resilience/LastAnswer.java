package io.github.ratelimit.resilience;

import java.util.function.Consumer;

import io.github.ratelimit.RateLimitDecision;

/**
 * The store's last answer on a key, which the first decision of an outage starts from.
 */
final class LastAnswer {

	private final LastAnswers maker;

	private final RateLimitDecision decision;

	private final long answeredAt;

	private volatile boolean used;

	LastAnswer(LastAnswers maker, RateLimitDecision decision, long answeredAt) {
		this.maker = maker;
		this.decision = decision;
		this.answeredAt = answeredAt;
	}

	/**
	 * Whether it was given under certain limits.
	 */
	boolean isOf(LastAnswers maker) {
		return this.maker == maker;
	}

	/**
	 * How long the key is banned yet.
	 * @return nanoseconds, not positive if it is not
	 */
	long bannedNanos(long now) {
		return this.decision.banned() ? this.decision.resetAfterNanos() - (now - this.answeredAt) : 0;
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
