package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.CombinedDecision;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * The sliding window log: keeps the time stamp of every counted permit, at most
 * {@code limit} of them (twice as many where there are debts), and counts those that are
 * younger than the window. A stamp ends exactly one window after it was made.
 * <p>
 * The words are the capacity, the ring's head and count in one, and a ring of time stamps
 * in ascending order.
 */
sealed class SlidingWindowLog extends Algorithm permits ReservingSlidingWindowLog {

	private static final int HEADER = 2;

	private static final int INITIAL_CAPACITY = 1;

	final int limit;

	/* The largest number of time stamps. */
	private final int maxTaken;

	private final long window;

	private final boolean countRejected;

	SlidingWindowLog(RateLimit limit, Tick resolution, boolean debts) {
		this(limit, resolution, maxTaken(limit, debts));
	}

	/**
	 * Creates a log.
	 * @param maxTaken the largest number of time stamps
	 */
	SlidingWindowLog(RateLimit limit, Tick resolution, long maxTaken) {
		super(limit.algorithm(), limit.capacity(), resolution);
		this.limit = Math.toIntExact(limit.limit());
		this.maxTaken = Math.toIntExact(maxTaken);
		this.window = resolution.ticks(limit.window());
		this.countRejected = limit.countRejected();
	}

	@Override
	int initialSize() {
		return HEADER + INITIAL_CAPACITY;
	}

	@Override
	public int largestSize() {
		return HEADER + this.maxTaken;
	}

	@Override
	int size(long[] state, int at) {
		return HEADER + (int) state[at];
	}

	@Override
	void initialize(long[] state, int at, long now) {
		state[at] = initialSize() - HEADER;
		state[at + 1] = 0;
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * The newest stamps are kept that count under both limits.
	 */
	@Override
	long[] createAfter(Algorithm before, long[] old, int oldAt, long now) {
		SlidingWindowLog other = (SlidingWindowLog) before;
		long ring = old[oldAt + 1];
		int live = Math.min(other.live(ring, old, oldAt, now), live(ring, old, oldAt, now));
		int kept = Math.min(live, this.maxTaken);

		long[] state = new long[HEADER + Math.max(INITIAL_CAPACITY, kept)];
		state[0] = state.length - HEADER;
		state[1] = ring(0, kept);
		for (int i = 0; i < kept; i++) {
			state[HEADER + i] = stamp(old, oldAt, head(ring) + count(ring) - kept + i);
		}
		return state;
	}

	@Override
	public boolean admits(long[] state, int at, long now, long permits) {
		if (permits > this.limit) {
			return false;
		}

		long ring = state[at + 1];
		int tooMany = count(ring) + (int) permits - this.limit;
		if (tooMany <= 0 || permits == 0) {
			return true;
		}
		return isExpired(stamp(state, at, head(ring) + tooMany - 1), now);
	}

	@Override
	public void take(long[] state, int at, long now, long permits) {
		append(state, at, now, (int) permits);
	}

	@Override
	public void charge(long[] state, int at, long now, long permits) {
		append(state, at, now, (int) Math.min(permits, this.maxTaken - live(state[at + 1], state, at, now)));
	}

	@Override
	public boolean countsRejected() {
		return this.countRejected;
	}

	@Override
	public void recordRejected(long[] state, int at, long now, long permits) {
		if (this.countRejected && permits <= this.limit && !admits(state, at, now, permits)) {
			append(state, at, now, (int) permits);
		}
	}

	@Override
	public int missing(long[] state, int at, long now, long permits) {
		int capacity = (int) state[at];
		int added = (int) Math.min(permits, this.maxTaken);
		if (count(state[at + 1]) + added <= capacity) {
			return 0;
		}

		int needed = Math.min(this.maxTaken, live(state[at + 1], state, at, now) + added);
		if (needed <= capacity) {
			return 0;
		}
		return Math.min(this.maxTaken, Math.max(needed, capacity + capacity / 2)) - capacity;
	}

	@Override
	void enlarge(long[] state, int at, long[] target, int targetAt, long now, long permits) {
		long ring = state[at + 1];
		target[targetAt] = state[at] + missing(state, at, now, permits);
		target[targetAt + 1] = ring(0, count(ring));
		for (int i = 0; i < count(ring); i++) {
			target[targetAt + HEADER + i] = stamp(state, at, head(ring) + i);
		}
	}

	@Override
	public void refund(long[] state, int at, long now, long permits, RateLimitReceipt given, int limit) {
		long passesAt = this.resolution.passesAt(given, limit);
		long ring = state[at + 1];
		int first = firstAfter(passesAt - 1, ring, state, at);
		int found = firstAfter(passesAt, ring, state, at) - first;
		int removed = (int) Math.min(permits, found);

		for (int i = first + removed; i < count(ring); i++) {
			state[slot(state, at, head(ring) + i - removed)] = stamp(state, at, head(ring) + i);
		}
		state[at + 1] = ring(head(ring), count(ring) - removed);
	}

	@Override
	public RateLimitDecision decision(long[] state, int at, long now, long permits, boolean allowed,
			@Nullable CombinedDecision combined) {
		long ring = state[at + 1];
		int live = live(ring, state, at, now);
		int oldest = head(ring) + count(ring) - live;
		int debt = Math.max(0, live - this.limit);
		long remaining = this.limit - live + debt;

		long next = 0;
		long reset = 0;
		if (live > 0) {
			next = untilExpired(state, at, oldest + debt, now);
			reset = untilExpired(state, at, oldest + live - 1, now);
		}

		long wait = 0;
		if (!allowed && permits > this.limit) {
			wait = RateLimitDecision.NEVER;
		}
		else if (!allowed) {
			int before = Math.max(0, live + (int) permits - this.limit - 1);
			wait = untilExpired(state, at, oldest + before, now);
		}

		return this.resolution.decision(now, allowed, remaining, wait, reset, next, combined);
	}

	private void append(long[] state, int at, long now, int permits) {
		append(state, at, now, newest(state[at + 1], state, at, now), permits);
	}

	/**
	 * Appends time stamps.
	 * @param stamp not before the newest one
	 */
	final void append(long[] state, int at, long now, long stamp, int permits) {
		long ring = state[at + 1];
		int live = live(ring, state, at, now);
		int kept = Math.min(live, this.maxTaken - permits);
		int head = wrapped(state, at, head(ring) + count(ring) - kept);
		for (int i = 0; i < permits; i++) {
			state[slot(state, at, head + kept + i)] = stamp;
		}
		state[at + 1] = ring(head, kept + permits);
	}

	/*
	 * The ring's word is read once and passed on, because another thread may change it.
	 */
	final int live(long ring, long[] state, int at, long now) {
		return count(ring) - firstAfter(now - this.window, ring, state, at);
	}

	/*
	 * The newest stamp, or the present moment if that is later.
	 */
	static long newest(long ring, long[] state, int at, long now) {
		int count = count(ring);
		if (count == 0) {
			return now;
		}
		return Math.max(now, stamp(state, at, head(ring) + count - 1));
	}

	/*
	 * When a stamp of the ring expires of which so many are newer.
	 */
	final long expiry(long ring, long[] state, int at, int newer) {
		return stamp(state, at, head(ring) + count(ring) - 1 - newer) + this.window;
	}

	/*
	 * The position, counted from the head, of the first stamp that is later than a
	 * moment. The search doubles its steps and then halves the last one, because most
	 * often the stamp is the first or the second.
	 */
	private static int firstAfter(long moment, long ring, long[] state, int at) {
		int low = 0;
		int high = 0;
		for (int step = 1; high < count(ring) && stamp(state, at, head(ring) + high) <= moment; step *= 2) {
			low = high + 1;
			high = Math.min(count(ring), low + step);
		}

		while (low < high) {
			int middle = (low + high) >>> 1;
			if (stamp(state, at, head(ring) + middle) > moment) {
				high = middle;
			}
			else {
				low = middle + 1;
			}
		}
		return low;
	}

	private boolean isExpired(long stamp, long now) {
		return now - stamp >= this.window;
	}

	private long untilExpired(long[] state, int at, int position, long now) {
		return stamp(state, at, position) + this.window - now;
	}

	private static long stamp(long[] state, int at, int position) {
		return state[slot(state, at, position)];
	}

	private static int slot(long[] state, int at, int position) {
		return at + HEADER + wrapped(state, at, position);
	}

	private static int wrapped(long[] state, int at, int position) {
		int capacity = (int) state[at];
		return (position < capacity) ? position : position - capacity;
	}

	private static long ring(int head, int count) {
		return (long) head << Integer.SIZE | count;
	}

	private static int head(long ring) {
		return (int) (ring >>> Integer.SIZE);
	}

	static int count(long ring) {
		return (int) ring;
	}

}
