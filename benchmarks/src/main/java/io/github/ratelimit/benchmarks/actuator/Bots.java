package io.github.ratelimit.benchmarks.actuator;

import java.util.random.RandomGenerator;

/**
 * Callers some of whom try again at once for a while, now and then.
 *
 * @param oneIn one in how many callers does
 * @param others what the others do
 */
record Bots(int oneIn, Traffic others) implements Traffic {

	private static final int TRIES = 150;

	@Override
	public void add(int caller, RandomGenerator random, Requests requests) {
		if (caller % this.oneIn != 0) {
			this.others.add(caller, random, requests);
			return;
		}
		double time = random.nextDouble() * DAY;
		for (int again = random.nextInt(3); again >= 0; again--) {
			for (int i = 0; i <= TRIES; i++) {
				requests.add(caller, time, 1);
				time += 0.05 + random.nextExponential() * 0.2;
			}
			time += random.nextExponential() * 7200;
		}
	}

}
