package io.github.ratelimit.benchmarks.actuator;

import java.util.List;

import io.github.ratelimit.benchmarks.measure.Mode;

/**
 * How often to ask.
 *
 * @param keys how many keys the application has
 * @param warmUp how often each request is sent before anything counts
 * @param turns how often it is each request's turn
 * @param sends how often it is then sent
 * @param options options of the application's {@code java} command
 */
record EndpointSchedule(int keys, int warmUp, int turns, int sends, List<String> options) {

	static EndpointSchedule of(Mode mode) {
		List<String> options = mode.javaOptions("-Xmx512m");
		return switch (mode) {
			case SMOKE -> new EndpointSchedule(2000, 1, 2, 2, options);
			case QUICK -> new EndpointSchedule(100_000, 500, 10, 100, options);
			case FULL -> new EndpointSchedule(100_000, 2000, 30, 200, options);
		};
	}

}
