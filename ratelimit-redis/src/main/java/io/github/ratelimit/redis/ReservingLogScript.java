package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitDecisions;

/**
 * The part of a sliding window log whose requests may wait until enough stamps have
 * expired.
 */
final class ReservingLogScript extends LogScript {

	private final long maxWait;

	ReservingLogScript(RateLimit limit, Duration maxWait) {
		super(limit, false, List.of("sliding-window-log.lua", "log-in-debt.lua", "reserving-log.lua"));
		this.maxWait = micros(maxWait.toNanos());
	}

	@Override
	boolean joins() {
		return false;
	}

	/*
	 * All that count in the present window, and in those in which requests wait.
	 */
	@Override
	String maxTaken() {
		return "capacity_n * (1 + math.ceil(math.abs(longest_n) / window_n))";
	}

	@Override
	List<Long> numbers(long most, boolean withoutDelay) {
		return List.of(this.window, this.capacity, withoutDelay ? -this.maxWait : this.maxWait);
	}

	@Override
	RateLimitDecision decision(ByteBuffer answer, long now, long permits, long behind, boolean agrees,
			boolean withoutDelay) {
		long count = readNumber(answer);
		long decisive = readNumber(answer);
		long newest = readNumber(answer);
		long passes = readNumber(answer);
		long untilLast = Math.max(0, nanos(newest - now));
		long remaining = (untilLast > 0) ? 0 : Math.max(0, this.capacity - count);
		long reset = untilExpired(newest, count, now);
		long next = untilLast;
		if (count + remaining >= this.capacity) {
			next = Math.max(next, untilExpired(decisive, count, now));
		}

		if (agrees) {
			long delay = (permits != 0) ? untilLast : 0;
			return RateLimitDecisions.allowed(nanos(now), remaining, delay, reset, next);
		}
		long retryAfter = RateLimitDecision.NEVER;
		if (permits <= this.capacity) {
			retryAfter = nanos(passes - now - (withoutDelay ? 0 : this.maxWait));
		}
		return RateLimitDecisions.rejected(nanos(now), remaining, retryAfter, reset, next);
	}

	@Override
	long delayNanos(ByteBuffer answer, long now, long permits) {
		long delay = (long) answer.getDouble(answer.position() + 3 * Double.BYTES) - now;
		return (permits <= this.capacity && delay <= this.maxWait) ? nanos(delay) : 0;
	}

}
