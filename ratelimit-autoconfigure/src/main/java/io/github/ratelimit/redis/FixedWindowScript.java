package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.FixedWindowCounter;
import io.github.ratelimit.algorithm.Tick;

/**
 * The fixed window counter.
 */
final class FixedWindowScript extends LimitScript {

	private final FixedWindowCounter algorithm;

	FixedWindowScript(RateLimit limit, boolean charged) {
		super(limit, charged, 'F', List.of("fixed-window-counter.lua"));
		this.algorithm = (FixedWindowCounter) Algorithm.of(limit, Tick.MICROSECOND, charged);
	}

	/*
	 * A count under a former, higher limit may exceed this one, and so may one that owes.
	 */
	@Override
	RateLimitDecision decision(ByteBuffer answer, long now, long permits, boolean agrees) {
		long index = number(answer);
		long count = Math.min(number(answer), capacity());
		return this.algorithm.explain(now, index, count, permits, agrees);
	}

}
