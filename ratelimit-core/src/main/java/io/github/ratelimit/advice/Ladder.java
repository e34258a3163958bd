package io.github.ratelimit.advice;

import java.time.Duration;
import java.util.Arrays;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.advice.CallerSample.Caller;

/**
 * The rates and bursts that are tried: those of a limit, and preferred numbers around
 * them. They stay as they are when the limit changes, so that what was observed goes on.
 * <p>
 * Virtual buckets count in units, of which a permit has a power of two, so that whole
 * permits are exact and the largest burst has 2<sup>26</sup>.
 */
final class Ladder {

	static final int RATES = 16;

	static final int BURSTS = 8;

	static final int CELLS = RATES * BURSTS;

	/* More than any bucket holds, and small enough that two of them can be added. */
	static final int MOST_UNITS = 1 << 27;

	private static final int LARGEST_BURST_BITS = 26;

	private static final int LOWER_RATES = 6;

	private static final int LOWER_BURSTS = 3;

	private static final long LONGEST_WINDOW = Duration.ofDays(31).toNanos();

	private static final long NANOS_PER_PERMIT_OF_FASTEST = 1000;

	private static final long LARGEST_BURST = 1_000_000_000_000L;

	private static final double PART_OF_PERMIT = 1.0 / 16;

	private static final double PART_OF_SMALLEST_BURST = 1.0 / 64;

	/* The window of the limit itself, which suggestions are compared over. */
	final long window;

	final long[] limits = new long[RATES];

	final long[] windows = new long[RATES];

	final long[] bursts = new long[BURSTS];

	/* For each burst, in units. */
	final int[] capacities = new int[BURSTS];

	/*
	 * Less time than this is no time: the fastest bucket drains by no more than a small
	 * part of a permit, or of the smallest burst.
	 */
	final long tick;

	private final double unitsPerPermit;

	/* For each rate, units per nanosecond. */
	private final double[] drains = new double[RATES];

	private Ladder(long limit, long window, long capacity) {
		this.window = window;
		climbRates(limit, window);
		climbBursts(Math.min(capacity, LARGEST_BURST));
		int bits = Long.SIZE - Long.numberOfLeadingZeros(this.bursts[BURSTS - 1] - 1);
		this.unitsPerPermit = Math.scalb(1.0, LARGEST_BURST_BITS - bits);
		Arrays.setAll(this.capacities, (i) -> (int) (this.bursts[i] * this.unitsPerPermit));
		Arrays.setAll(this.drains, (i) -> this.limits[i] * this.unitsPerPermit / this.windows[i]);
		double permits = Math.max(PART_OF_PERMIT, this.bursts[0] * PART_OF_SMALLEST_BURST);
		this.tick = (long) (permits * this.unitsPerPermit / this.drains[RATES - 1]);
	}

	/**
	 * The ladder around a limit. Around one that counts in a calendar's windows it has
	 * what these give on a day.
	 */
	static Ladder around(RateLimit limit) {
		if (limit.calendar() == null) {
			return new Ladder(limit.limit(), limit.window().toNanos(), limit.capacity());
		}
		long perDay = Math.max(1, limit.limit() / limit.window().toDays());
		return new Ladder(perDay, Duration.ofDays(1).toNanos(), perDay);
	}

	private void climbRates(long limit, long window) {
		int own = nearest(limit);
		int first = own - LOWER_RATES;
		while (window(first, window) > LONGEST_WINDOW) {
			first++;
		}
		while (limit(first + RATES - 1) > window(first + RATES - 1, window) / NANOS_PER_PERMIT_OF_FASTEST) {
			first--;
		}
		for (int i = 0; i < RATES; i++) {
			this.limits[i] = (first + i == own) ? limit : limit(first + i);
			this.windows[i] = window(first + i, window);
		}
	}

	/* 1, 2, 5, 10, 20, 50 and so on. */
	private static long preferred(int index) {
		long number = 1;
		for (int i = 1; i <= index; i++) {
			number = (i % 3 == 2) ? number / 2 * 5 : number * 2;
		}
		return number;
	}

	/* The index of the preferred number that is next to another by its ratio. */
	private static int nearest(long number) {
		int index = 0;
		while (preferred(index + 1) <= number) {
			index++;
		}
		return ((double) number / preferred(index) <= (double) preferred(index + 1) / number) ? index : index + 1;
	}

	/* Less than one permit in the window is one in a longer window. */
	private static long limit(int index) {
		return (index < 0) ? 1 : preferred(index);
	}

	private static long window(int index, long window) {
		return (index < 0) ? window * preferred(-index) : window;
	}

	private void climbBursts(long capacity) {
		int own = nearest(capacity);
		int first = Math.max(0, own - LOWER_BURSTS);
		for (int i = 0; i < BURSTS; i++) {
			this.bursts[i] = (first + i == own) ? capacity : preferred(first + i);
		}
	}

	int units(long permits) {
		return (int) Math.max(1, Math.min(permits * this.unitsPerPermit, MOST_UNITS));
	}

	/**
	 * Lets a caller's buckets drain until a request. Less than a tick is no time and adds
	 * up, as units are whole. Requests are not observed in their order, so it may be less
	 * than nothing.
	 * @param now the time of the request
	 * @param drained where to write the units that leave the buckets of each rate
	 */
	void drain(Caller caller, long now, int[] drained) {
		long nanos = now - caller.time;
		boolean none = nanos < this.tick;
		caller.time = none ? caller.time : now;
		double[] drains = this.drains;
		for (int i = 0; i < RATES; i++) {
			drained[i] = none ? 0 : (int) Math.min(nanos * drains[i] + 0.5, MOST_UNITS);
		}
	}

	/**
	 * How much leaves the buckets of the slowest rate.
	 */
	int drainSlowest(long nanos) {
		return (int) Math.min(Math.max(0, nanos) * this.drains[0] + 0.5, MOST_UNITS);
	}

}
