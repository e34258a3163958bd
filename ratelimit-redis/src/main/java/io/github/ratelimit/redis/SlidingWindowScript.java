package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.SlidingEstimate;
import io.github.ratelimit.algorithm.Tick;

/**
 * The part of a sliding window counter.
 */
final class SlidingWindowScript extends LimitScript {

	private final SlidingEstimate estimate;

	SlidingWindowScript(RateLimit limit, boolean charged) {
		super(limit, charged, Kind.C, List.of("sliding-window-counter.lua"));
		this.estimate = new SlidingEstimate(limit, Tick.MICROSECOND);
	}

	@Override
	RateLimitDecision decision(ByteBuffer answer, long now, long permits, long behind, boolean agrees,
			boolean withoutDelay) {
		long index = readNumber(answer);
		long current = readNumber(answer) - behind;
		long previous = readNumber(answer);
		return this.estimate.explain(now, index * this.window, current, previous, permits, agrees, null);
	}

}
