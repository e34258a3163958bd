package io.github.ratelimit.benchmarks.redis;

import java.util.function.Function;

/**
 * A limiter that takes part.
 *
 * @param name what the contender is called in tables
 * @param decides whether it decides at all
 * @param opener makes it ready for a task
 */
record Entrant(String name, boolean decides, Function<Task, Contender> opener) {

	static Entrant of(String name, Function<Task, Contender> opener) {
		return new Entrant(name, true, opener);
	}

}
