package io.github.ratelimit.remote;

import java.util.function.Consumer;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitDecisions;
import org.jspecify.annotations.Nullable;

/**
 * An answer of the store about a key: what it would answer again for a time, if it is a
 * rejection, and what the first decision of an outage begins with.
 */
final class RememberedAnswer {

	private final RememberedAnswers maker;

	private final RateLimitDecision decision;

	private final long permits;

	private final long askedAt;

	private final long end;

	private final long renewal;

	private volatile boolean renewing;

	private volatile boolean used;

	/**
	 * Creates an answer.
	 * @param maker the limits under which it was given
	 * @param decision the decision
	 * @param permits how many permits the request cost
	 * @param askedAt when the store was asked
	 * @param end until when the store would answer the same
	 * @param renewal from when on one request is to ask again
	 */
	RememberedAnswer(RememberedAnswers maker, RateLimitDecision decision, long permits, long askedAt, long end,
			long renewal) {
		this.maker = maker;
		this.decision = decision;
		this.permits = permits;
		this.askedAt = askedAt;
		this.end = end;
		this.renewal = renewal;
	}

	/**
	 * Whether it was given under certain limits.
	 */
	boolean isOf(RememberedAnswers maker) {
		return this.maker == maker;
	}

	long askedAt() {
		return this.askedAt;
	}

	/**
	 * The answer to a request, or to a look; {@code null} if the store has to be asked.
	 */
	@Nullable RateLimitDecision find(long permits, long now) {
		if (now >= this.end || permits != 0 && (!answers(permits) || isToBeRenewed(now))) {
			return null;
		}
		RateLimitDecision present = RateLimitDecisions.after(this.decision, Math.max(0, now - this.askedAt));
		return (permits != 0) ? present : RateLimitDecisions.asLook(present);
	}

	private boolean answers(long permits) {
		return permits == this.permits || this.decision.banned();
	}

	private boolean isToBeRenewed(long now) {
		return now >= this.renewal && !this.renewing && renew();
	}

	private synchronized boolean renew() {
		boolean first = !this.renewing;
		this.renewing = true;
		return first;
	}

	/**
	 * How long the key is banned yet.
	 * @return nanoseconds, not positive if it is not
	 */
	long bannedNanos(long now) {
		return this.decision.banned() ? this.decision.resetAfterNanos() - (now - this.askedAt) : 0;
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
