package io.github.ratelimit.algorithm;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.SlidingWindowCounter.SlidingCounts;
import io.github.ratelimit.store.CombinedDecision;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * The sliding window counter whose requests may wait until the estimate has room for
 * them: a request is counted in the window in which it goes, which may be a later one.
 * <p>
 * The current window is the one in which the last request goes. Nobody goes before that,
 * so that what is counted in it and in the window before is all that must be known: the
 * estimate only falls while no other request comes, and rises with each, so that whoever
 * comes later goes later.
 */
final class ReservingSlidingWindowCounter extends WideSlidingWindowCounter {

	private final RateLimit numbers;

	private final long maxWait;

	ReservingSlidingWindowCounter(RateLimit limit, Tick resolution, Duration maxWait) {
		super(limit, resolution, false);
		this.numbers = limit;
		this.maxWait = resolution.ticks(maxWait);
	}

	@Override
	public Algorithm withoutDelays() {
		return new ReservingSlidingWindowCounter(this.numbers, this.resolution, Duration.ZERO);
	}

	@Override
	public boolean admits(long[] state, int at, long now, long permits) {
		if (permits == 0) {
			return true;
		}
		return permits <= this.limit && untilRoomFor(permits, state, at, now) <= this.maxWait;
	}

	@Override
	public void take(long[] state, int at, long now, long permits) {
		count(state, at, now + untilRoomFor(permits, state, at, now), permits);
	}

	private long untilRoomFor(long permits, long[] state, int at, long now) {
		SlidingCounts counts = counts(state, at, now);
		return this.estimate.untilRoomFor(permits, now, counts.start(), counts.current(), counts.previous());
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * While requests wait, only the permits of the last one are refunded: with those of
	 * another one, whoever comes next would overtake the last.
	 */
	@Override
	public void refund(long[] state, int at, long now, long permits, RateLimitReceipt given, int limit) {
		long untilLast = untilRoomFor(0, state, at, now);
		boolean isLast = this.resolution.passesAt(given, limit) == now + untilLast;
		if (untilLast == 0 || isLast) {
			super.refund(state, at, now, permits, given, limit);
		}
	}

	@Override
	public RateLimitDecision decision(long[] state, int at, long now, long permits, boolean allowed,
			@Nullable CombinedDecision combined) {
		SlidingCounts counts = counts(state, at, now);
		return this.estimate.explainReserved(now, counts.start(), counts.current(), counts.previous(), permits, allowed,
				this.maxWait, combined);
	}

}
