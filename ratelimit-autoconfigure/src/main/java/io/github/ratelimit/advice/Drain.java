package io.github.ratelimit.advice;

import java.util.Arrays;

/**
 * How much leaves every virtual bucket in a time. Mostly it is the same time that is
 * asked for again.
 */
final class Drain {

	private final Ladder ladder;

	private final int[] units = new int[Ladder.CELLS];

	private long elapsed;

	Drain(Ladder ladder) {
		this.ladder = ladder;
	}

	/**
	 * The units that leave the bucket of each burst and rate, those of the first burst
	 * first. They may be read until the next call.
	 * @param elapsed the time
	 */
	int[] units(long elapsed) {
		long counted = (elapsed < this.ladder.tick) ? 0 : elapsed;
		if (counted != this.elapsed) {
			compute(counted);
			this.elapsed = counted;
		}
		return this.units;
	}

	private void compute(long elapsed) {
		if (elapsed == 0) {
			Arrays.fill(this.units, 0);
			return;
		}
		this.ladder.drain(elapsed, this.units);
		for (int length = Ladder.RATES; length < Ladder.CELLS; length *= 2) {
			System.arraycopy(this.units, 0, this.units, length, length);
		}
	}

}
