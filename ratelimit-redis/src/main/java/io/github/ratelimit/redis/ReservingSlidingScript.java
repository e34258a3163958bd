package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;

/**
 * The part of a sliding window counter whose requests may wait until the estimate has
 * room for them.
 */
final class ReservingSlidingScript extends SlidingWindowScript {

	private final long maxWait;

	ReservingSlidingScript(RateLimit limit, Duration maxWait) {
		super(limit, false, List.of("sliding-window-counter.lua", "reserving-sliding-counter.lua"));
		this.maxWait = micros(maxWait.toNanos());
	}

	@Override
	boolean joins() {
		return false;
	}

	@Override
	List<Long> numbers(long most, boolean withoutDelay) {
		return List.of(this.window, this.capacity, this.maxWait, withoutDelay ? 0L : this.maxWait);
	}

	@Override
	RateLimitDecision decision(ByteBuffer answer, long now, long permits, long behind, boolean agrees,
			boolean withoutDelay) {
		long start = readNumber(answer) * this.window;
		long current = readNumber(answer);
		long previous = readNumber(answer);
		return this.estimate.explainReserved(now, start, current, previous, permits, agrees,
				withoutDelay ? 0 : this.maxWait, null);
	}

	@Override
	long delayNanos(ByteBuffer answer, long now, long permits) {
		ByteBuffer part = answer.duplicate().order(answer.order());
		long start = readNumber(part) * this.window;
		long current = readNumber(part);
		long previous = readNumber(part);
		if (permits > this.capacity) {
			return 0;
		}
		long delay = this.estimate.untilRoomFor(permits, now, start, current, previous);
		return (delay <= this.maxWait) ? nanos(delay) : 0;
	}

}
