package io.github.ratelimit.benchmarks.actuator;

import java.util.List;
import java.util.SplittableRandom;

import io.github.ratelimit.benchmarks.measure.Mode;

/**
 * Traffic from a seed.
 *
 * @param title what it is called in tables
 * @param callers how many callers there are
 * @param traffic when they come
 */
record Trace(String title, int callers, Traffic traffic) {

	static final String ZIPF = "Zipf";

	static final String DIURNAL = "diurnal";

	static final String BOTS = "bots that retry";

	private static final long SEED = 1;

	private static final double HOUR = 3600;

	static List<Trace> all(Mode mode) {
		return switch (mode) {
			case SMOKE -> all(1000, 300, 1000);
			case QUICK -> all(1_000_000, 50_000, 100_000);
			case FULL -> all(10_000_000, 300_000, 1_000_000);
		};
	}

	private static List<Trace> all(int zipf, int diurnal, int bots) {
		return List.of(new Trace(ZIPF, zipf, Zipf.of(zipf, 3, 1, HOUR)), new Trace(DIURNAL, diurnal, new Visitors()),
				new Trace(BOTS, bots, new Bots(40, Zipf.of(bots, 7.5, 0.8, Traffic.DAY))));
	}

	/**
	 * Plays the trace, caller by caller.
	 * @param exact is given the requests of each caller
	 * @return the requests of all
	 */
	Requests play(ExactReplay exact) {
		SplittableRandom random = new SplittableRandom(SEED);
		Requests all = new Requests();
		Requests own = new Requests();
		for (int caller = 0; caller < this.callers; caller++) {
			own.clear();
			this.traffic.add(caller, random, own);
			own.sort();
			exact.replay(own);
			all.addAll(own);
		}
		all.sort();
		return all;
	}

}
