package io.github.ratelimit.advice;

import java.util.Arrays;
import java.util.function.IntPredicate;

import org.jspecify.annotations.Nullable;

/**
 * Callers whose buckets are followed, by their hash: at most a number of them.
 */
final class FollowedCallers {

	private static final int MARKS = 1 << 15;

	/* Of the bucket that drains for longest. */
	private static final int LAST = Ladder.CELLS - Ladder.RATES;

	private final Ladder ladder;

	private final int maximum;

	private final HashIndex index = new HashIndex();

	private Caller[] callers = new Caller[16];

	private long[] hashes = new long[16];

	private int size;

	/* Read without the lock: whether a caller may be here. */
	private volatile long[] marks = new long[MARKS / Long.SIZE];

	FollowedCallers(Ladder ladder, int maximum) {
		this.ladder = ladder;
		this.maximum = maximum;
	}

	boolean mayHave(long hash) {
		return (this.marks[word(hash)] & 1L << hash) != 0;
	}

	private static int word(long hash) {
		return (int) (hash >>> Long.numberOfTrailingZeros(Long.SIZE)) & MARKS / Long.SIZE - 1;
	}

	@Nullable Caller find(long hash) {
		int position = this.index.find(hash, this.hashes);
		return (position >= 0) ? this.callers[position] : null;
	}

	boolean isFull() {
		return this.size == this.maximum;
	}

	boolean isNearlyFull() {
		return this.size > this.maximum - this.maximum / 8;
	}

	/**
	 * Adds a caller, for which there must be room.
	 */
	Caller add(long hash, long now) {
		Caller caller = new Caller(now);
		int position = this.size;
		if (position == this.hashes.length) {
			int length = Math.min(position * 2, this.maximum);
			this.callers = Arrays.copyOf(this.callers, length);
			this.hashes = Arrays.copyOf(this.hashes, length);
		}
		this.hashes[position] = hash;
		this.callers[position] = caller;
		this.index.addLast(this.hashes, position + 1);
		this.size = position + 1;
		this.marks[word(hash)] |= 1L << hash;
		return caller;
	}

	/**
	 * Forgets callers whose buckets are full again, about which nothing is lost.
	 */
	void removeFull(long now) {
		retain((i) -> backlog(this.callers[i], now) > 0);
	}

	private int backlog(Caller caller, long now) {
		int backlog = caller.buckets[LAST] & Integer.MAX_VALUE;
		return Math.max(0, backlog - this.ladder.drainSlowest(now - caller.time));
	}

	/**
	 * Forgets callers whose hash is not below a threshold.
	 */
	void removeFrom(long threshold) {
		retain((i) -> this.hashes[i] < threshold);
	}

	/**
	 * Forgets the half that has taken least of its buckets, of equals those that came
	 * first.
	 */
	void removeHalf(long now) {
		long[] ranks = new long[this.size];
		Arrays.setAll(ranks, (i) -> (long) backlog(this.callers[i], now) << Integer.SIZE | i);
		long[] sorted = ranks.clone();
		Arrays.sort(sorted);
		long median = sorted[this.size / 2];
		retain((i) -> ranks[i] >= median);
	}

	private void retain(IntPredicate positions) {
		int kept = 0;
		long[] marks = new long[MARKS / Long.SIZE];
		for (int i = 0; i < this.size; i++) {
			if (positions.test(i)) {
				this.hashes[kept] = this.hashes[i];
				this.callers[kept++] = this.callers[i];
				marks[word(this.hashes[i])] |= 1L << this.hashes[i];
			}
		}
		Arrays.fill(this.callers, kept, this.size, null);
		this.size = kept;
		this.index.rebuild(this.hashes, kept);
		this.marks = marks;
	}

	int size() {
		return this.size;
	}

	/**
	 * A bucket for each burst and rate.
	 */
	static final class Caller {

		final int[] buckets = new int[Ladder.CELLS];

		long time;

		Caller(long time) {
			this.time = time;
		}

	}

}
