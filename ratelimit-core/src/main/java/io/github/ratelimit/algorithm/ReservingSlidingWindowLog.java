package io.github.ratelimit.algorithm;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.CombinedDecision;
import org.jspecify.annotations.Nullable;

/**
 * The sliding window log whose requests may wait until enough stamps have expired: a
 * request goes at the first moment at which the window that ends there has room for it,
 * not before the request in front of it.
 * <p>
 * Its stamps are of the moment at which it goes, which may lie ahead. Since no stamp is
 * older than the one before it, a window that ends later holds no more of those that are
 * there. All stamps are kept that count now or will, so that each request can give its
 * own back, whoever waits behind it: the others keep theirs.
 */
final class ReservingSlidingWindowLog extends SlidingWindowLog {

	private final RateLimit numbers;

	private final long maxStamps;

	private final long maxWait;

	ReservingSlidingWindowLog(RateLimit limit, Tick resolution, Duration maxWait) {
		this(limit, resolution, LogSize.stamps(limit, false, maxWait), resolution.ticks(maxWait));
	}

	private ReservingSlidingWindowLog(RateLimit limit, Tick resolution, long maxStamps, long maxWait) {
		super(limit, resolution, maxStamps);
		this.numbers = limit;
		this.maxStamps = maxStamps;
		this.maxWait = maxWait;
	}

	@Override
	public Algorithm withoutDelays() {
		return new ReservingSlidingWindowLog(this.numbers, this.resolution, this.maxStamps, 0);
	}

	@Override
	public boolean admits(long[] state, int at, long now, long permits) {
		if (permits == 0) {
			return true;
		}
		return permits <= this.limit && earliest(state[at + 1], state, at, now, permits) - now <= this.maxWait;
	}

	@Override
	public void take(long[] state, int at, long now, long permits) {
		append(state, at, now, earliest(state[at + 1], state, at, now, permits), (int) permits);
	}

	@Override
	public void charge(long[] state, int at, long now, long permits) {
		long ring = state[at + 1];
		int room = Math.max(0, this.limit - live(ring, state, at, now));
		append(state, at, now, newest(ring, state, at, now), (int) Math.min(permits, room));
	}

	/*
	 * The first moment that is not before the newest stamp, and whose window holds so few
	 * stamps that there is room for the permits.
	 */
	private long earliest(long ring, long[] state, int at, long now, long permits) {
		long earliest = newest(ring, state, at, now);
		int room = this.limit - (int) permits;
		if (count(ring) <= room) {
			return earliest;
		}
		return Math.max(earliest, expiry(ring, state, at, room));
	}

	@Override
	public RateLimitDecision decision(long[] state, int at, long now, long permits, boolean allowed,
			@Nullable CombinedDecision combined) {
		long ring = state[at + 1];
		int live = live(ring, state, at, now);
		long untilLast = newest(ring, state, at, now) - now;
		long remaining = (untilLast > 0) ? 0 : Math.max(0, this.limit - live);

		long next = 0;
		long reset = 0;
		if (live > 0) {
			next = earliest(ring, state, at, now, remaining + 1) - now;
			reset = expiry(ring, state, at, 0) - now;
		}

		long wait = 0;
		if (!allowed && permits > this.limit) {
			wait = RateLimitDecision.NEVER;
		}
		else if (!allowed) {
			wait = earliest(ring, state, at, now, permits) - now - this.maxWait;
		}
		else if (permits != 0) {
			wait = untilLast;
		}

		return this.resolution.decision(now, allowed, remaining, wait, reset, next, combined);
	}

}
