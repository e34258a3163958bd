package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.time.Duration;

import io.github.ratelimit.RateLimitBan;

/**
 * The numbers of a ban, in the order in which its script reads them.
 */
final class BanNumbers {

	static final int COUNT = 6;

	private BanNumbers() {
	}

	/**
	 * Puts them behind those of the limits.
	 * @param ban the ban
	 * @param capacity the most permits that can pass, above which no rejection counts
	 * @param numbers where they go
	 */
	static void put(RateLimitBan ban, long capacity, ByteBuffer numbers) {
		numbers.putDouble(ban.after())
			.putDouble(micros(ban.within()))
			.putDouble(micros(ban.duration()))
			.putDouble(ban.multiplier())
			.putDouble(micros(ban.max()))
			.putDouble(capacity);
	}

	private static long micros(Duration duration) {
		return LimitScript.micros(duration.toNanos());
	}

}
