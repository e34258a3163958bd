package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.FixedWindowCounter;
import io.github.ratelimit.algorithm.Tick;

/**
 * The part of a fixed window counter whose requests may wait for a later window.
 */
final class ReservingWindowScript extends LimitScript {

	private final FixedWindowCounter algorithm;

	private final FixedWindowCounter withoutDelays;

	private final long maxWait;

	ReservingWindowScript(RateLimit limit, Duration maxWait) {
		super(limit, false, Kind.FIXED_WINDOW_COUNTER,
				List.of("fixed-window-counter.lua", "reserving-window-counter.lua"));
		this.algorithm = (FixedWindowCounter) Algorithm.reserving(limit, Tick.MICROSECOND, maxWait);
		this.withoutDelays = (FixedWindowCounter) this.algorithm.withoutDelays();
		this.maxWait = micros(maxWait.toNanos());
	}

	@Override
	boolean joins() {
		return false;
	}

	@Override
	List<Long> numbers(long most, boolean withoutDelay) {
		long admitted = withoutDelay ? 0 : this.maxWait;
		return List.of(this.window, this.capacity, this.maxWait, admitted);
	}

	@Override
	RateLimitDecision decision(ByteBuffer answer, long now, long permits, long behind, boolean agrees,
			boolean withoutDelay) {
		FixedWindowCounter algorithm = withoutDelay ? this.withoutDelays : this.algorithm;
		return algorithm.decision(0, readWord(answer), now, permits, agrees, null);
	}

	@Override
	long delayNanos(ByteBuffer answer, long now, long permits) {
		long word = readWord(answer.duplicate().order(answer.order()));
		return delayNanos(this.algorithm, 0, word, now, permits);
	}

	private long readWord(ByteBuffer answer) {
		long index = readNumber(answer);
		return this.algorithm.word(index, readNumber(answer));
	}

}
