package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

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

	private final long window;

	FixedWindowScript(RateLimit limit, boolean charged) {
		super(limit, charged);
		this.algorithm = (FixedWindowCounter) Algorithm.of(limit, Tick.MICROSECOND, charged);
		this.window = micros(limit.window().toNanos());
	}

	@Override
	List<String> files() {
		return List.of("fixed-window-counter.lua");
	}

	@Override
	char kind() {
		return 'F';
	}

	@Override
	Map<String, Long> numbers(long most, boolean withoutDelay) {
		return Map.of("window", this.window, "capacity", capacity());
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
