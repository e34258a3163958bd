package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.List;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitDecisions;

/**
 * Reads a script's answer on a policy: of each limit whether it agrees, and its standing,
 * and of its ban whether that rejects.
 */
final class AnswerReader {

	private final LimitScript[] limits;

	private final LimitScript[] undelayed;

	private final boolean bans;

	AnswerReader(PolicyScript policy) {
		List<LimitScript> limits = policy.limits();
		this.limits = limits.toArray(LimitScript[]::new);
		this.undelayed = limits.stream().map(LimitScript::withoutDelays).toArray(LimitScript[]::new);
		this.bans = policy.bans();
	}

	int limits() {
		return this.limits.length;
	}

	static boolean[] flags(ByteBuffer answer, int count) {
		boolean[] flags = new boolean[count];
		for (int i = 0; i < count; i++) {
			flags[i] = answer.get() == 1;
		}
		return flags;
	}

	/**
	 * Reads what the answer says of the policy's ban.
	 * @param answer where that begins, behind what the limits say of the request
	 * @param now the moment of the decision
	 */
	BanAnswer ban(ByteBuffer answer, long now) {
		return this.bans ? BanAnswer.read(answer, now) : BanAnswer.NONE;
	}

	/**
	 * Reads a decision. A limit that agrees, where another does not, is only looked at.
	 * @param answer where the policy's part of the answer begins
	 * @param now the moment of the decision
	 * @param allowed whether the request passes
	 * @param agrees whether each limit of the request lets it pass
	 * @param first which of them is the policy's first
	 * @param permits how many permits the request cost, 0 for a look
	 * @param withoutDelay whether the request could not wait
	 */
	RateLimitDecision decision(ByteBuffer answer, long now, boolean allowed, boolean[] agrees, int first, long permits,
			boolean withoutDelay) {
		if (!withoutDelay || agree(agrees, first, this.limits.length)) {
			LimitScript[] scripts = (withoutDelay && permits == 0) ? this.undelayed : this.limits;
			return decision(answer, now, scripts, agrees, first, allowed ? permits : 0, permits);
		}
		boolean[] admits = agrees.clone();
		long longest = 0;
		int begin = answer.position();
		RateLimitDecision[] decisions = new RateLimitDecision[this.limits.length];
		for (int i = 0; i < decisions.length; i++) {
			if (!agrees[first + i]) {
				long delay = this.limits[i].delayNanos(answer, now, permits);
				admits[first + i] = delay > 0;
				longest = Math.max(longest, delay);
			}
			decisions[i] = opinion(this.limits[i], answer, now, admits[first + i], 0, permits);
		}
		if (!agree(admits, first, this.limits.length)) {
			return RateLimitDecisions.combined(decisions);
		}
		answer.position(begin);
		return RateLimitDecisions.asQueueFull(decision(answer, now, this.undelayed, agrees, first, 0, permits),
				longest);
	}

	private static RateLimitDecision decision(ByteBuffer answer, long now, LimitScript[] scripts, boolean[] agrees,
			int first, long given, long asked) {
		RateLimitDecision[] decisions = new RateLimitDecision[scripts.length];
		for (int i = 0; i < decisions.length; i++) {
			decisions[i] = opinion(scripts[i], answer, now, agrees[first + i], given, asked);
		}
		return RateLimitDecisions.combined(decisions);
	}

	private static RateLimitDecision opinion(LimitScript limit, ByteBuffer answer, long now, boolean agrees, long given,
			long asked) {
		return limit.decision(answer, now, agrees ? given : asked, agrees);
	}

	static boolean agree(boolean[] limits) {
		return agree(limits, 0, limits.length);
	}

	private static boolean agree(boolean[] limits, int first, int count) {
		for (int i = first; i < first + count; i++) {
			if (!limits[i]) {
				return false;
			}
		}
		return true;
	}

	/**
	 * What a script's answer says about the ban of a key.
	 *
	 * @param now the moment of the decision
	 * @param left for how long the key is banned still, or 0
	 * @param begun how many times the key is banned, if that began with this decision, or
	 * 0
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

}
