package io.github.ratelimit.redis;

import java.nio.ByteBuffer;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitDecisions;

/**
 * What a script's answer says about the ban of a key.
 *
 * @param now the moment of the decision
 * @param left for how long the key is banned still, or 0
 * @param begun how many times the key is banned, if that began with this decision, or 0
 */
record BanAnswer(long now, long left, int begun) {

	static final BanAnswer NONE = new BanAnswer(0, 0, 0);

	/**
	 * Reads a policy's part.
	 */
	static BanAnswer read(ByteBuffer answer, long now) {
		long left = Math.max(0, LimitScript.number(answer) - now);
		return new BanAnswer(now, left, (int) LimitScript.number(answer));
	}

	boolean rejects(long permits) {
		return this.left > 0 && permits > 0;
	}

	/**
	 * The decision that the limits and the ban make together.
	 */
	RateLimitDecision of(RateLimitDecision limits, long permits) {
		if (this.left == 0) {
			return limits;
		}
		long decidedAt = LimitScript.nanos(this.now);
		if (this.begun > 0) {
			return RateLimitDecisions.newlyBanned(decidedAt, LimitScript.nanos(this.left), this.begun);
		}
		RateLimitDecision banned = RateLimitDecisions.banned(decidedAt, LimitScript.nanos(this.left));
		return (permits > 0) ? banned : RateLimitDecisions.asLook(banned);
	}

}
