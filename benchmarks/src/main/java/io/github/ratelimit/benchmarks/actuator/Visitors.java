package io.github.ratelimit.benchmarks.actuator;

import java.util.random.RandomGenerator;

/**
 * Callers who come for a visit of some pages, each with a burst of requests, in the day
 * more than at night.
 */
final class Visitors implements Traffic {

	@Override
	public void add(int caller, RandomGenerator random, Requests requests) {
		double time = start(random);
		for (int pages = 1 + (int) (random.nextExponential() * 4); pages >= 0; pages--) {
			requests.add(caller, time, 1 + random.nextInt(2));
			for (int files = (int) (random.nextExponential() * 8); files > 0; files--) {
				time += random.nextExponential() * 0.2;
				requests.add(caller, time, 1 + random.nextInt(2));
			}
			time += random.nextExponential() * 40;
		}
	}

	private static double start(RandomGenerator random) {
		double start;
		do {
			start = random.nextDouble() * DAY;
		}
		while (random.nextDouble() > 0.55 - 0.45 * Math.cos(2 * Math.PI * start / DAY));
		return start;
	}

}
