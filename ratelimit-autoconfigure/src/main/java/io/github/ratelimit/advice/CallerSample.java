package io.github.ratelimit.advice;

import java.util.Arrays;

/**
 * A sample of callers, each as likely to be in it as any other: those whose hash is below
 * a threshold, which falls as callers become more (Waldspurger et al., SHARDS, 2015). Of
 * each, the largest backlog of a virtual bucket at every rate is kept, which is the burst
 * that it would have needed.
 */
final class CallerSample {

	private static final double FALL = 0.9;

	private static final int LEVEL_SHIFT = 28;

	private static final int BACKLOG = (1 << LEVEL_SHIFT) - 1;

	private final Ladder ladder;

	private final Drain drain;

	private final int maximum;

	private final HashIndex index = new HashIndex();

	private long[] hashes = new long[16];

	private long[] times = new long[16];

	/*
	 * For each caller and rate the backlog, and above it how many bursts were too small.
	 */
	private int[] states = new int[16 * Ladder.RATES];

	private int size;

	private volatile long threshold = Long.MAX_VALUE;

	CallerSample(Ladder ladder, Drain drain, int maximum) {
		this.ladder = ladder;
		this.drain = drain;
		this.maximum = maximum;
	}

	boolean covers(long hash) {
		return hash < this.threshold;
	}

	void observe(long hash, long now, int cost) {
		int position = this.index.find(hash, this.hashes);
		if (position < 0) {
			position = add(hash, now);
		}
		if (position >= 0) {
			update(position * Ladder.RATES, drainedSince(position, now), cost);
		}
	}

	private int add(long hash, long now) {
		while (this.size >= this.maximum) {
			lowerThreshold();
		}
		if (!covers(hash)) {
			return -1;
		}
		int position = this.size;
		if (position == this.hashes.length) {
			grow(Math.min(position * 2, this.maximum));
		}
		this.hashes[position] = hash;
		this.times[position] = now;
		Arrays.fill(this.states, position * Ladder.RATES, (position + 1) * Ladder.RATES, 0);
		this.index.addLast(this.hashes, position + 1);
		this.size = position + 1;
		return position;
	}

	/* All or nothing, also where memory ends. */
	private void grow(int length) {
		long[] hashes = Arrays.copyOf(this.hashes, length);
		long[] times = Arrays.copyOf(this.times, length);
		this.states = Arrays.copyOf(this.states, length * Ladder.RATES);
		this.times = times;
		this.hashes = hashes;
	}

	private void lowerThreshold() {
		long lower = (long) (this.threshold * FALL);
		int kept = 0;
		for (int i = 0; i < this.size; i++) {
			if (this.hashes[i] < lower) {
				this.hashes[kept] = this.hashes[i];
				this.times[kept] = this.times[i];
				System.arraycopy(this.states, i * Ladder.RATES, this.states, kept * Ladder.RATES, Ladder.RATES);
				kept++;
			}
		}
		this.size = kept;
		this.index.rebuild(this.hashes, kept);
		this.threshold = lower;
	}

	private int[] drainedSince(int position, long now) {
		long elapsed = now - this.times[position];
		if (elapsed >= this.ladder.tick) {
			this.times[position] = now;
		}
		return this.drain.units(elapsed);
	}

	private void update(int first, int[] drained, int cost) {
		int[] states = this.states;
		int[] capacities = this.ladder.capacities;
		for (int i = 0; i < Ladder.RATES; i++) {
			int state = states[first + i];
			int level = state >>> LEVEL_SHIFT;
			if (level < Ladder.BURSTS) {
				int backlog = Math.max(0, (state & BACKLOG) - drained[i]) + cost;
				while (level < Ladder.BURSTS && backlog > capacities[level]) {
					level++;
				}
				states[first + i] = level << LEVEL_SHIFT | backlog;
			}
		}
	}

	int size() {
		return this.size;
	}

	/**
	 * How many callers there are, with those that are not in the sample.
	 */
	long estimate() {
		return Math.round(this.size / (this.threshold / 0x1p63));
	}

	/**
	 * The shares of callers that would have been rejected, by burst and rate.
	 */
	double[] rejected() {
		double[] rejected = new double[Ladder.CELLS];
		for (int k = 0; k < this.size; k++) {
			for (int i = 0; i < Ladder.RATES; i++) {
				int level = this.states[k * Ladder.RATES + i] >>> LEVEL_SHIFT;
				if (level > 0) {
					rejected[(level - 1) * Ladder.RATES + i]++;
				}
			}
		}
		for (int cell = Ladder.CELLS - Ladder.RATES - 1; cell >= 0; cell--) {
			rejected[cell] += rejected[cell + Ladder.RATES];
		}
		Arrays.setAll(rejected, (cell) -> rejected[cell] / Math.max(1, this.size));
		return rejected;
	}

}
