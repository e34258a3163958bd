package io.github.ratelimit.redis;

import java.nio.ByteBuffer;

import io.github.ratelimit.RateLimitDecision;

/**
 * The call that decides on a request for one policy. It may become a part of a call that
 * decides for several.
 */
final class RedisDecision extends ScriptCall<RateLimitDecision> {

	private final RedisDecider decider;

	private final long permits;

	private final boolean withoutDelay;

	/**
	 * Creates a call.
	 * @param decider the policy's decider
	 * @param script the script that decides for this policy alone
	 * @param keys the names of the key's state
	 * @param permits how many permits the request costs; 0 looks without taking
	 * @param withoutDelay whether the request cannot wait
	 */
	RedisDecision(RedisDecider decider, Script script, byte[][] keys, long permits, boolean withoutDelay) {
		super(decider.runner, script, keys);
		this.decider = decider;
		this.permits = permits;
		this.withoutDelay = withoutDelay;
	}

	PolicyScript policy() {
		return this.decider.present();
	}

	@Override
	byte[][] arguments() {
		return new byte[][] { argument() };
	}

	/**
	 * Returns the policy's part of the arguments.
	 */
	byte[] argument() {
		PolicyScript policy = this.decider.present();
		if (this.permits == 1) {
			return policy.numbers(this.withoutDelay);
		}
		return policy.numbers(this.withoutDelay, this.permits);
	}

	@Override
	boolean takeMoment(long now) {
		this.decider.goTo(now);
		return true;
	}

	@Override
	RateLimitDecision read(byte[] answer) {
		ByteBuffer buffer = LimitScript.buffer(answer);
		long now = LimitScript.readNumber(buffer);
		return read(buffer, now);
	}

	/**
	 * Reads the policy's part of an answer.
	 * @param answer where the policy's part of the answer begins
	 * @param now the moment of the decision
	 */
	RateLimitDecision read(ByteBuffer answer, long now) {
		PolicyScript policy = this.decider.goTo(now);
		return policy.decision(answer, now, this.permits, this.withoutDelay, this.decider.unreadable);
	}

}
