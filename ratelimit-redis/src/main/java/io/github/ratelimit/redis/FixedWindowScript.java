package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.FixedWindowCounter;
import io.github.ratelimit.algorithm.Tick;

/**
 * The part of a fixed window counter. A count under a former, higher limit may exceed
 * this one, and so may one that owes.
 */
class FixedWindowScript extends LimitScript {

	private final FixedWindowCounter algorithm;

	FixedWindowScript(RateLimit limit, boolean charged, List<String> files) {
		super(limit, charged, Kind.FIXED_WINDOW_COUNTER, files);
		this.algorithm = (FixedWindowCounter) Algorithm.of(limit, Tick.MICROSECOND, charged);
	}

	@Override
	final RateLimitDecision decision(ByteBuffer answer, long now, long permits, long behind, boolean agrees,
			boolean withoutDelay) {
		long end = readEnd(answer);
		long count = readNumber(answer) - behind;
		return this.algorithm.explain(now, end, Math.min(count, this.capacity), permits, agrees, null);
	}

	long readEnd(ByteBuffer answer) {
		long index = readNumber(answer);
		return (index + 1) * this.window;
	}

}
