package io.github.ratelimit.advice;

import java.time.Duration;
import java.util.Arrays;

import io.github.ratelimit.RateLimit;

/**
 * The rates and bursts that are tried: those of a limit, and preferred numbers around
 * them. They stay as they are when the limit changes, so that the observation goes on.
 * <p>
 * Virtual buckets count in units, of which a permit has a power of two, so that whole
 * permits are exact and the largest burst has 2<sup>26</sup>.
 */
final class CandidateGrid {

	static final int RATES = 16;

	static final int BURSTS = 8;

	static final int CELLS = RATES * BURSTS;

	/** More than any bucket holds, and small enough that two of them can be added. */
	static final int MAX_UNITS = 1 << 27;

	private static final int MAX_BURST_BITS = 26;

	private static final int LOWER_RATES = 6;

	private static final int LOWER_BURSTS = 3;

	private static final long MAX_WINDOW = Duration.ofDays(31).toNanos();

	/* As that of a limit. */
	private static final double MAX_REFILL_NANOS = Duration.ofDays(366).toNanos();

	private static final long NANOS_PER_PERMIT_OF_FASTEST = 1000;

	private static final long MAX_BURST = 1_000_000_000_000L;

	private static final double PART_OF_PERMIT = 1.0 / 16;

	private static final double PART_OF_SMALLEST_BURST = 1.0 / 64;

	/** The window of the limit itself, over which suggestions are compared. */
	final long window;

	final long[] limits = new long[RATES];

	final long[] windows = new long[RATES];

	final long[] bursts = new long[BURSTS];

	/** The capacity of each burst's buckets in units. */
	final int[] capacities = new int[BURSTS];

	/*
	 * Less time than this is no time: the fastest bucket drains by no more than a small
	 * part of a permit, or of the smallest burst.
	 */
	private final long tick;

	private final double unitsPerPermit;

	/* The units that leave the buckets of each rate in a nanosecond. */
	private final double[] drains = new double[RATES];

	private CandidateGrid(long limit, long window, long capacity) {
		this.window = window;
		chooseRates(limit, window);
		chooseBursts(Math.min(capacity, MAX_BURST));

		int bits = Long.SIZE - Long.numberOfLeadingZeros(this.bursts[BURSTS - 1] - 1);
		this.unitsPerPermit = Math.scalb(1.0, MAX_BURST_BITS - bits);
		Arrays.setAll(this.capacities, (i) -> (int) (this.bursts[i] * this.unitsPerPermit));
		Arrays.setAll(this.drains, (i) -> this.limits[i] * this.unitsPerPermit / this.windows[i]);
		double permits = Math.max(PART_OF_PERMIT, this.bursts[0] * PART_OF_SMALLEST_BURST);
		this.tick = (long) (permits * this.unitsPerPermit / this.drains[RATES - 1]);
	}

	/**
	 * The grid around a limit. Around one that counts in a calendar's windows it has what
	 * these give on a day.
	 */
	static CandidateGrid around(RateLimit limit) {
		if (limit.calendar() == null) {
			return new CandidateGrid(limit.limit(), limit.window().toNanos(), limit.capacity());
		}
		long perDay = Math.max(1, limit.limit() / limit.window().toDays());
		return new CandidateGrid(perDay, Duration.ofDays(1).toNanos(), perDay);
	}

	private void chooseRates(long limit, long window) {
		int own = nearest(limit);
		int first = own - LOWER_RATES;
		while (window(first, window) > MAX_WINDOW) {
			first++;
		}
		while (limit(first + RATES - 1) > window(first + RATES - 1, window) / NANOS_PER_PERMIT_OF_FASTEST) {
			first--;
		}

		for (int i = 0; i < RATES; i++) {
			int index = first + i;
			this.limits[i] = (index == own) ? limit : limit(index);
			this.windows[i] = window(index, window);
		}
	}

	/* The preferred numbers are 1, 2, 5, 10, 20, 50 and so on. */
	private static long preferred(int index) {
		long number = 1;
		for (int i = 1; i <= index; i++) {
			if (i % 3 == 2) {
				number = number / 2 * 5;
			}
			else {
				number = number * 2;
			}
		}
		return number;
	}

	/* The index of the preferred number that is next to another by its ratio. */
	private static int nearest(long number) {
		int index = 0;
		while (preferred(index + 1) <= number) {
			index++;
		}
		double below = (double) number / preferred(index);
		double above = (double) preferred(index + 1) / number;
		return (below <= above) ? index : index + 1;
	}

	/**
	 * Whether a limit can have the burst and the rate of a cell. Of a slow rate, a large
	 * burst would take too long to become free again.
	 */
	boolean canBeConfigured(int cell) {
		int rate = cell % RATES;
		double refillNanos = (double) this.bursts[cell / RATES] / this.limits[rate] * this.windows[rate];
		return refillNanos <= MAX_REFILL_NANOS;
	}

	/* Less than one permit in the window is one in a longer window. */
	private static long limit(int index) {
		return preferred(Math.max(0, index));
	}

	private static long window(int index, long window) {
		return window * preferred(Math.max(0, -index));
	}

	private void chooseBursts(long capacity) {
		int own = nearest(capacity);
		int first = Math.max(0, own - LOWER_BURSTS);
		for (int i = 0; i < BURSTS; i++) {
			int index = first + i;
			this.bursts[i] = (index == own) ? capacity : preferred(index);
		}
	}

	int units(long permits) {
		return (int) Math.max(1, Math.min(permits * this.unitsPerPermit, MAX_UNITS));
	}

	/**
	 * Computes how much leaves a caller's buckets in a time. Less than a tick is no time
	 * and adds up, as units are whole. Requests are not observed in their order, so it
	 * may be less than nothing.
	 * @param nanos the time
	 * @param drained where to write the units that leave the buckets of each rate
	 * @return whether the time was long enough to drain anything
	 */
	boolean drain(long nanos, int[] drained) {
		if (nanos < this.tick) {
			Arrays.fill(drained, 0);
			return false;
		}

		double[] drains = this.drains;
		for (int i = 0; i < RATES; i++) {
			drained[i] = (int) Math.min(nanos * drains[i] + 0.5, MAX_UNITS);
		}
		return true;
	}

	/**
	 * How much leaves the buckets of the slowest rate.
	 */
	int drainSlowest(long nanos) {
		return (int) Math.min(Math.max(0, nanos) * this.drains[0] + 0.5, MAX_UNITS);
	}

}
