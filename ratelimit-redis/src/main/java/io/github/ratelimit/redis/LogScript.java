package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitReceipt;

/**
 * The part of a sliding window log, whose time stamps stay in Redis.
 */
class LogScript extends LimitScript {

	LogScript(RateLimit limit, boolean charged) {
		this(limit, charged, files(limit, charged));
	}

	LogScript(RateLimit limit, boolean charged, List<String> files) {
		super(limit, charged, Kind.SLIDING_WINDOW_LOG, files);
	}

	private static List<String> files(RateLimit limit, boolean charged) {
		List<String> files = new ArrayList<>(List.of("sliding-window-log.lua"));
		if (limit.countRejected()) {
			files.add("count-rejected.lua");
		}
		if (charged) {
			files.add("log-in-debt.lua");
		}
		return files;
	}

	@Override
	final boolean keepsLog() {
		return true;
	}

	/**
	 * {@inheritDoc}
	 * @return the moment of the stamps, to which the request had to wait
	 */
	@Override
	final long[] given(RateLimitReceipt receipt, int limit) {
		return new long[] { micros(receipt.decidedAtNanos(limit) + receipt.delayNanos(limit)), 0 };
	}

	@Override
	List<Long> numbers(long most, boolean withoutDelay) {
		if (this.limit.countRejected()) {
			return List.of(this.window, this.capacity, most);
		}
		return super.numbers(most, withoutDelay);
	}

	@Override
	RateLimitDecision decision(ByteBuffer answer, long now, long permits, long behind, boolean agrees,
			boolean withoutDelay) {
		long count = readNumber(answer) - behind;
		long oldest = readNumber(answer);
		long newest = readNumber(answer);
		long decisive = readNumber(answer);
		long remaining = Math.max(0, this.capacity - count);
		long next = untilExpired(oldest, count, now);
		long reset = untilExpired(newest, count, now);

		if (agrees) {
			return RateLimitDecisions.allowed(nanos(now), remaining, 0, reset, next);
		}
		long retryAfter = RateLimitDecision.NEVER;
		if (permits <= this.capacity) {
			// the request passes once this stamp has expired
			retryAfter = untilExpired(decisive, count, now);
		}
		return RateLimitDecisions.rejected(nanos(now), remaining, retryAfter, reset, next);
	}

	final long untilExpired(long stamp, long count, long now) {
		return (count > 0) ? nanos(stamp + this.window - now) : 0;
	}

}
