package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.SlidingEstimate;
import io.github.ratelimit.algorithm.Tick;

/**
 * The sliding window counter.
 */
final class SlidingWindowScript extends LimitScript {

	private final SlidingEstimate estimate;

	private final long window;

	SlidingWindowScript(RateLimit limit, boolean charged) {
		super(limit, charged);
		this.estimate = new SlidingEstimate(limit, Tick.MICROSECOND);
		this.window = micros(limit.window().toNanos());
	}

	@Override
	List<String> files() {
		return List.of("sliding-window-counter.lua");
	}

	@Override
	char kind() {
		return 'C';
	}

	@Override
	Map<String, Long> numbers(long most, boolean withoutDelay) {
		return Map.of("window", this.window, "capacity", capacity());
	}

	@Override
	RateLimitDecision decision(ByteBuffer answer, long now, long permits, boolean agrees) {
		return this.estimate.explain(now, number(answer) * this.window, number(answer), number(answer), permits,
				agrees);
	}

}
