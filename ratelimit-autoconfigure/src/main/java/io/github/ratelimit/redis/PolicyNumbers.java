package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitPolicy;

/**
 * The numbers of a policy as its scripts get them.
 */
final class PolicyNumbers {

	/**
	 * How many those of a ban are, behind those of the limits.
	 */
	static final int OF_BAN = 6;

	private final RateLimitPolicy policy;

	private final List<LimitScript> limits;

	private final byte[] afterwards;

	private final byte[] toDecide;

	private final byte[] withoutDelay;

	PolicyNumbers(RateLimitPolicy policy, List<LimitScript> limits) {
		this.policy = policy;
		this.limits = limits;
		this.afterwards = numbers(false);
		this.toDecide = withBan(this.afterwards);
		this.withoutDelay = policy.delays() ? withBan(numbers(true)) : this.toDecide;
	}

	private byte[] numbers(boolean withoutDelay) {
		List<Long> numbers = this.limits.stream()
			.flatMap((limit) -> limit.numbers(this.policy.capacity(), withoutDelay).stream())
			.toList();
		ByteBuffer bytes = LimitScript.buffer(new byte[Double.BYTES * numbers.size()]);
		numbers.forEach(bytes::putDouble);
		return bytes.array();
	}

	private byte[] withBan(byte[] numbers) {
		RateLimitBan ban = this.policy.ban();
		if (ban == null) {
			return numbers;
		}
		byte[] bytes = Arrays.copyOf(numbers, numbers.length + Double.BYTES * OF_BAN);
		LimitScript.buffer(bytes)
			.position(numbers.length)
			.putDouble(ban.after())
			.putDouble(micros(ban.within()))
			.putDouble(micros(ban.duration()))
			.putDouble(ban.multiplier())
			.putDouble(micros(ban.max()))
			.putDouble(this.policy.capacity());
		return bytes;
	}

	private static long micros(Duration duration) {
		return LimitScript.micros(duration.toNanos());
	}

	/**
	 * Those of a decision.
	 * @param withoutDelay whether the request cannot wait
	 */
	byte[] toDecide(boolean withoutDelay) {
		return withoutDelay ? this.withoutDelay : this.toDecide;
	}

	/**
	 * Those of what comes after the decision: no ban matters to that.
	 */
	byte[] afterwards() {
		return this.afterwards;
	}

	/**
	 * The numbers for a moment of the server.
	 * @param now microseconds since the epoch
	 * @return numbers whose windows the moment is in the middle of; these if it is
	 */
	PolicyNumbers at(long now) {
		for (LimitScript each : this.limits) {
			if (each.at(now) != each) {
				return new PolicyNumbers(this.policy, this.limits.stream().map((limit) -> limit.at(now)).toList());
			}
		}
		return this;
	}

}
