package io.github.ratelimit.benchmarks.picture;

import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.simulation.SimulatedLimit;
import io.github.ratelimit.simulation.Simulation;

/**
 * Requests of one client: a burst around the edge of a window, a steady stream, and a
 * burst after a pause.
 */
final class Traffic {

	static final double SECONDS = 30;

	private static final double MILLIS = 1000;

	private Traffic() {
	}

	/**
	 * When requests arrive.
	 * @return seconds since the beginning, which is the edge of a window
	 */
	static List<Double> arrivals() {
		DoubleStream edge = IntStream.range(0, 12).mapToDouble((i) -> 8.2 + i * 0.32);
		DoubleStream steady = IntStream.range(0, 9).mapToDouble((i) -> 14 + i);
		DoubleStream burst = IntStream.range(0, 8).mapToDouble((i) -> 27 + i * 0.32);
		return DoubleStream.concat(DoubleStream.concat(edge, steady), burst).boxed().toList();
	}

	/**
	 * What a limit makes of them.
	 * @param limit the limit
	 * @return an outcome for each request, in order
	 */
	static List<Outcome> under(RateLimit limit) {
		List<Double> arrivals = arrivals();
		long[] millis = arrivals.stream().mapToLong((arrival) -> Math.round(arrival * MILLIS)).toArray();
		long[] gaps = IntStream.range(0, millis.length)
			.mapToLong((i) -> millis[i] - ((i > 0) ? millis[i - 1] : 0))
			.toArray();
		long[] delays = simulate(new Simulation(List.of(limit), gaps, null));
		return IntStream.range(0, delays.length)
			.mapToObj((i) -> new Outcome(arrivals.get(i), delays[i] != SimulatedLimit.REJECTED,
					Math.max(0, delays[i]) / MILLIS))
			.toList();
	}

	/*
	 * However long it takes.
	 */
	private static long[] simulate(Simulation simulation) {
		try {
			return simulation.run(() -> 0).get(0).delays();
		}
		catch (TimeoutException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * What became of a request.
	 *
	 * @param arrival when it arrived, in seconds
	 * @param allowed whether it passed
	 * @param delay how long it had to wait first, in seconds
	 */
	record Outcome(double arrival, boolean allowed, double delay) {
	}

}
