package io.github.ratelimit.advice;

import java.util.Arrays;

import io.github.ratelimit.advice.Callers.Caller;

/**
 * Estimates how many callers would have been rejected, by a sample of them. Of each, the
 * largest backlog of a virtual bucket at every rate is kept, which is the burst that it
 * would have needed.
 */
final class CallerSample {

	private static final double FALL = 0.9;

	private static final int LEVEL_SHIFT = 28;

	private static final int BACKLOG = (1 << LEVEL_SHIFT) - 1;

	private final Ladder ladder;

	private final int maximum;

	/* For each rate the backlog, and above it how many bursts were too small. */
	private final Callers callers = new Callers();

	private final int[] drained = new int[Ladder.RATES];

	CallerSample(Ladder ladder, int maximum) {
		this.ladder = ladder;
		this.maximum = maximum;
	}

	boolean covers(long hash) {
		return this.callers.cover(hash);
	}

	/**
	 * Observes requests of a caller.
	 * @param cost what they cost together
	 */
	void observe(long hash, long now, int cost) {
		Caller caller = this.callers.get(hash);
		while (caller == null && this.callers.size() >= this.maximum) {
			this.callers.lowerThreshold(FALL);
		}
		if (caller != null || covers(hash)) {
			caller = (caller != null) ? caller : this.callers.add(new Caller(hash, now, Ladder.RATES));
			this.ladder.drain(caller, now, this.drained);
			fill(caller.backlogs, cost);
		}
	}

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

	int size() {
		return this.callers.size();
	}

	/**
	 * How many callers there are, with those that are not in the sample.
	 */
	long estimate() {
		return Math.round(size() * this.callers.weight());
	}

	/**
	 * The shares of callers that would have been rejected, by burst and rate.
	 */
	double[] rejected() {
		double[] rejected = new double[Ladder.CELLS];
		this.callers.stream().forEach((caller) -> {
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
