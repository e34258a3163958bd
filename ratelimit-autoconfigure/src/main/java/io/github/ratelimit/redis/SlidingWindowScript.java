package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.Map;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Resolution;
import io.github.ratelimit.algorithm.SlidingWindowCounter;

/**
 * The sliding window counter.
 */
final class SlidingWindowScript extends LimitScript {

	private final SlidingWindowCounter algorithm;

	private final long window;

	SlidingWindowScript(RateLimit limit) {
		super(limit);
		this.algorithm = (SlidingWindowCounter) Algorithm.of(limit, Resolution.MICROSECOND);
		this.window = micros(limit.window().toNanos());
	}

	@Override
	String file() {
		return "sliding-window-counter.lua";
	}

	@Override
	char kind() {
		return 'C';
	}

	@Override
	Map<String, Long> numbers() {
		return Map.of("WINDOW", this.window);
	}

	@Override
	RateLimitDecision decision(ByteBuffer answer, long now, long permits, boolean agrees) {
		return this.algorithm.explain(now, number(answer), number(answer), number(answer), permits, agrees);
	}

}
