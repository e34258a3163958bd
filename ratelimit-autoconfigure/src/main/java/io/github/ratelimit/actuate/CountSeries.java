package io.github.ratelimit.actuate;

import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * The last rows of counts, in a ring. A count is at most {@link Integer#MAX_VALUE}, and
 * one that would be negative is 0.
 */
final class CountSeries {

	private final int[] counts;

	private final int capacity;

	private final int columns;

	/* How many rows were added, of which the last ones are kept. */
	private long added;

	/**
	 * Creates a series without rows.
	 * @param capacity how many rows are kept
	 * @param columns how many counts each of them has
	 */
	CountSeries(int capacity, int columns) {
		this.counts = new int[capacity * columns];
		this.capacity = capacity;
		this.columns = columns;
	}

	void add(long[] row) {
		int begin = begin(this.added);
		for (int i = 0; i < this.columns; i++) {
			this.counts[begin + i] = clamp(row[i]);
		}
		this.added++;
	}

	private int begin(long row) {
		return (int) (row % this.capacity) * this.columns;
	}

	private static int clamp(long count) {
		return (int) Math.max(0, Math.min(count, Integer.MAX_VALUE));
	}

	/**
	 * A value of each row that is kept, oldest first.
	 */
	int[] values(ToLongFunction<long[]> value) {
		int kept = (int) Math.min(this.added, this.capacity);
		return IntStream.range(0, kept).map((i) -> clamp(value.applyAsLong(row(this.added - kept + i)))).toArray();
	}

	private long[] row(long index) {
		int begin = begin(index);
		return IntStream.range(begin, begin + this.columns).mapToLong((at) -> this.counts[at]).toArray();
	}

	/**
	 * The sum of a column over the rows that are kept.
	 */
	long sum(int column) {
		return IntStream.range(0, this.capacity).mapToLong((row) -> this.counts[row * this.columns + column]).sum();
	}

}
