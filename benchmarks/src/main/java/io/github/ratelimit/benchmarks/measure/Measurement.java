package io.github.ratelimit.benchmarks.measure;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One figure.
 *
 * @param situation what was done, such as "one hot key, 1 thread, allowed"
 * @param contender who did it
 * @param metric what was measured, such as "time"
 * @param value the mean
 * @param error half the width of its 99.9 % confidence interval, or of its spread; 0 if
 * it is exact
 * @param unit the unit of both
 * @param processes the figure of each process by itself, where each may differ; otherwise
 * empty
 */
public record Measurement(String situation, String contender, String metric, double value, double error, String unit,
		List<Double> processes) {

	/**
	 * Creates a figure. Results that were kept before have no processes.
	 */
	public Measurement(String situation, String contender, String metric, double value, double error, String unit,
			@Nullable List<Double> processes) {
		this.situation = situation;
		this.contender = contender;
		this.metric = metric;
		this.value = value;
		this.error = error;
		this.unit = unit;
		this.processes = (processes != null) ? List.copyOf(processes) : List.of();
	}

	/**
	 * Creates a figure that does not depend on the process that was measured.
	 * @param situation what was done
	 * @param contender who did it
	 * @param metric what was measured
	 * @param value the mean
	 * @param error how far the truth may lie from it
	 * @param unit the unit of both
	 */
	public Measurement(String situation, String contender, String metric, double value, double error, String unit) {
		this(situation, contender, metric, value, error, unit, List.of());
	}

}
