package io.github.ratelimit.benchmarks.actuator;

import java.util.random.RandomGenerator;

/**
 * Says when callers come.
 */
interface Traffic {

	/** A day, in seconds. */
	double DAY = 86_400;

	/**
	 * Adds the requests of one caller, at least one.
	 * @param caller the caller's number
	 * @param random the only source of chance
	 * @param requests where to add them, in any order
	 */
	void add(int caller, RandomGenerator random, Requests requests);

}
