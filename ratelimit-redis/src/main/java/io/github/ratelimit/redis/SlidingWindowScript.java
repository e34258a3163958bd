package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.SlidingEstimate;
import io.github.ratelimit.algorithm.Tick;
import io.github.ratelimit.store.RateLimitReceipt;

/**
 * The part of a sliding window counter.
 */
class SlidingWindowScript extends LimitScript {

	final SlidingEstimate estimate;

	SlidingWindowScript(RateLimit limit, boolean charged) {
		this(limit, charged, List.of("sliding-window-counter.lua"));
	}

	SlidingWindowScript(RateLimit limit, boolean charged, List<String> files) {
		super(limit, charged, Kind.SLIDING_WINDOW_COUNTER, files);
		this.estimate = new SlidingEstimate(limit, Tick.MICROSECOND);
	}

	/**
	 * {@inheritDoc}
	 * @return the moment, and how long the request had to wait, in whose window it counts
	 */
	@Override
	final long[] given(RateLimitReceipt receipt, int limit) {
		return new long[] { micros(receipt.decidedAtNanos(limit)), micros(receipt.delayNanos(limit)) };
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
