package io.github.ratelimit.benchmarks.actuator;

import java.util.Arrays;

/**
 * Requests, each in one word: there may be tens of millions of them. The highest bits are
 * the time, so that sorting puts them in its order.
 */
final class Requests {

	static final int MOST_CALLERS = 1 << 24;

	private static final int CALLER_BITS = 24;

	private static final double MICROS = 1e6;

	private long[] words = new long[1 << 10];

	private int size;

	/**
	 * Adds a request.
	 * @param caller the caller's number, below {@link #MOST_CALLERS}
	 * @param seconds when it comes
	 * @param permits how many permits it costs, 1 or 2
	 */
	void add(int caller, double seconds, int permits) {
		reserve(1);
		this.words[this.size++] = ((long) (seconds * MICROS) << 1 | permits - 1) << CALLER_BITS | caller;
	}

	void addAll(Requests others) {
		reserve(others.size);
		System.arraycopy(others.words, 0, this.words, this.size, others.size);
		this.size += others.size;
	}

	private void reserve(int more) {
		if (this.size + more > this.words.length) {
			this.words = Arrays.copyOf(this.words, Math.max(this.size + more, this.size + this.size / 2));
		}
	}

	void clear() {
		this.size = 0;
	}

	void sort() {
		Arrays.parallelSort(this.words, 0, this.size);
	}

	int size() {
		return this.size;
	}

	long micros(int index) {
		return this.words[index] >>> CALLER_BITS + 1;
	}

	int permits(int index) {
		return (int) (this.words[index] >>> CALLER_BITS & 1) + 1;
	}

	int caller(int index) {
		return (int) this.words[index] & MOST_CALLERS - 1;
	}

}
