package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitDecisions;

/**
 * The sliding window log, whose time stamps stay in Redis.
 */
final class LogScript extends LimitScript {

	private final boolean countRejected;

	LogScript(RateLimit limit, boolean charged) {
		super(limit, charged, 'G', files(limit, charged));
		this.countRejected = limit.countRejected();
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
	boolean keepsLog() {
		return true;
	}

	@Override
	List<Long> numbers(long most) {
		return this.countRejected ? List.of(window(), capacity(), most) : super.numbers(most);
	}

	@Override
	RateLimitDecision decision(ByteBuffer answer, long now, long permits, boolean agrees) {
		long count = number(answer);
		long next = untilExpired(number(answer), count, now);
		long reset = untilExpired(number(answer), count, now);
		long retry = untilExpired(number(answer), count, now);
		long remaining = Math.max(0, capacity() - count);
		if (agrees) {
			return RateLimitDecisions.allowed(nanos(now), remaining, 0, reset, next);
		}
		return RateLimitDecisions.rejected(nanos(now), remaining,
				(permits <= capacity()) ? retry : RateLimitDecision.NEVER, reset, next);
	}

	private long untilExpired(long stamp, long count, long now) {
		return (count > 0) ? nanos(stamp + window() - now) : 0;
	}

}
