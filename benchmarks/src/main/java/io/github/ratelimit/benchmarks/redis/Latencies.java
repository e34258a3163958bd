package io.github.ratelimit.benchmarks.redis;

/**
 * Counts of times, in classes that are less than one percent wide.
 */
final class Latencies {

	private static final int BITS = 7;

	private long[] counts = {};

	void add(long nanos) {
		makeRoom();
		this.counts[index(Math.max(0, nanos))]++;
	}

	private void makeRoom() {
		if (this.counts.length == 0) {
			this.counts = new long[(Long.SIZE - BITS) << BITS];
		}
	}

	void add(Latencies others) {
		makeRoom();
		for (int i = 0; i < others.counts.length; i++) {
			this.counts[i] += others.counts[i];
		}
	}

	/**
	 * The time that a share of all does not exceed.
	 */
	double quantile(double share) {
		long rest = 0;
		for (long count : this.counts) {
			rest += count;
		}
		rest = (long) Math.ceil(rest * share);
		int index = -1;
		while (rest > 0) {
			rest -= this.counts[++index];
		}
		return (index < 0) ? Double.NaN : nanos(index);
	}

	/*
	 * The first 256 nanoseconds are classes of their own; from there on each doubling has
	 * 128 classes.
	 */
	private static int index(long nanos) {
		int shift = Math.max(0, Long.SIZE - 1 - BITS - Long.numberOfLeadingZeros(nanos));
		return (shift << BITS) + (int) (nanos >>> shift);
	}

	private static double nanos(int index) {
		int shift = Math.max(0, (index >> BITS) - 1);
		return ((index - (shift << BITS)) + 0.5) * (1L << shift);
	}

}
