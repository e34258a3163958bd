package io.github.ratelimit.advice;

import java.util.Arrays;

import io.github.ratelimit.advice.Callers.Caller;

/**
 * Estimates how many callers would have been rejected, by a sample of them. Of each, the
 * largest backlog of a virtual bucket at every rate is kept, which is the burst that it
 * would have needed.
 */
final class CallerSample extends Callers {

	private static final int LEVEL_SHIFT = 28;

	private static final int BACKLOG = (1 << LEVEL_SHIFT) - 1;

	private final Ladder ladder;

	private final int maximum;

	private final int[] drained = new int[Ladder.RATES];

	CallerSample(Ladder ladder, int maximum) {
		this.ladder = ladder;
		this.maximum = maximum;
	}

	/**
	 * Observes requests of a caller.
	 * @param cost what they cost together
	 */
	void observe(long hash, long now, int cost) {
		while (size() >= this.maximum && get(hash) == null) {
			lowerThreshold();
		}
		Caller caller = getOrAdd(hash, now, cover(hash), Ladder.RATES);
		if (caller != null) {
			this.ladder.drain(caller, now, this.drained);
			fill(caller.backlogs, cost);
		}
	}

	/*
	 * A state is the backlog, and above it how many bursts were too small.
	 */
	private void fill(int[] states, int cost) {
		int[] capacities = this.ladder.capacities;
		for (int i = 0; i < Ladder.RATES; i++) {
			int level = states[i] >>> LEVEL_SHIFT;
			if (level < Ladder.BURSTS) {
				int backlog = Math.max(0, (states[i] & BACKLOG) - this.drained[i]) + cost;
				while (level < Ladder.BURSTS && backlog > capacities[level]) {
					level++;
				}
				states[i] = level << LEVEL_SHIFT | backlog;
			}
		}
	}

	/**
	 * How many callers there are, with those that are not in the sample.
	 */
	long estimate() {
		return Math.round(size() * weight());
	}

	/**
	 * The shares of callers that would have been rejected, by burst and rate.
	 */
	double[] rejected() {
		double[] rejected = new double[Ladder.CELLS];
		stream().forEach((caller) -> {
			for (int i = 0; i < Ladder.RATES; i++) {
				for (int level = caller.backlogs[i] >>> LEVEL_SHIFT; level > 0; level--) {
					rejected[(level - 1) * Ladder.RATES + i]++;
				}
			}
		});
		Arrays.setAll(rejected, (cell) -> rejected[cell] / Math.max(1, size()));
		return rejected;
	}

}
