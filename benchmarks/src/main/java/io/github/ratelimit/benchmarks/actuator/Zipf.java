package io.github.ratelimit.benchmarks.actuator;

import java.util.random.RandomGenerator;

/**
 * Callers who come at any time, the less often the higher their number.
 *
 * @param exponent how fast it falls
 * @param heaviest how many requests the first caller makes
 * @param seconds in which time
 */
record Zipf(double exponent, double heaviest, double seconds) implements Traffic {

	/**
	 * Callers who together make so many requests.
	 */
	static Zipf of(int callers, double requestsPerCaller, double exponent, double seconds) {
		double sum = 0;
		for (int caller = 0; caller < callers; caller++) {
			sum += Math.pow(caller + 1, -exponent);
		}
		return new Zipf(exponent, callers * (requestsPerCaller - 1) / sum, seconds);
	}

	@Override
	public void add(int caller, RandomGenerator random, Requests requests) {
		double more = this.heaviest * Math.pow(caller + 1, -this.exponent) + random.nextDouble();
		for (int i = 0; i <= (int) more; i++) {
			requests.add(caller, random.nextDouble() * this.seconds, 1);
		}
	}

}
