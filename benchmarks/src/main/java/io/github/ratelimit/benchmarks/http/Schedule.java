package io.github.ratelimit.benchmarks.http;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.benchmarks.http.load.Load;
import io.github.ratelimit.benchmarks.measure.Mode;

/**
 * How long to measure, and how often.
 *
 * @param starts how often all servers are started anew: no two processes compile their
 * code alike
 * @param warmUps how often each server has its turn after each start before it counts, so
 * that its code is compiled under the load that is measured
 * @param rounds how often each server has its turn then
 * @param turn how long a turn is
 * @param options options of the servers' {@code java} command
 */
record Schedule(int starts, int warmUps, int rounds, Duration turn, List<String> options) {

	static Schedule of(Mode mode) {
		List<String> options = mode.javaOptions("-Xmx256m");
		return switch (mode) {
			case SMOKE -> new Schedule(1, 0, 1, Duration.ofMillis(50), options);
			case QUICK -> new Schedule(3, 8, 6, Duration.ofMillis(500), options);
			case FULL -> new Schedule(5, 8, 10, Duration.ofMillis(500), options);
		};
	}

	/**
	 * Half of the machine's processors are kept busy by clients, and half by the server.
	 * @param connections how many clients there are, each with a connection
	 */
	static Load load(int connections) {
		int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
		return new Load(threads, connections / threads);
	}

}
