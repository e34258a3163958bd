package io.github.ratelimit.benchmarks.measure;

import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * What many rounds say together.
 *
 * @param value what they say
 * @param error how far the truth may lie from it
 * @param processes what each process says by itself, where each may differ; otherwise
 * empty
 */
public record Estimate(double value, double error, List<Double> processes) {

	private static final double DEVIATIONS = 3.29;

	/**
	 * Creates an estimate that does not depend on the process that was measured.
	 * @param value what the rounds say
	 * @param error how far the truth may lie from it
	 */
	public Estimate(double value, double error) {
		this(value, error, List.of());
	}

	/**
	 * Estimates by the median: whatever else the machine does in some rounds shows in
	 * their figures alone.
	 * @param figures the figures of all rounds
	 * @return their median, and half the width of its 99.9 % confidence interval, which
	 * with few rounds is the whole spread
	 */
	public static Estimate of(double... figures) {
		double[] sorted = figures.clone();
		Arrays.sort(sorted);
		int last = sorted.length - 1;
		// the median's rank is binomial
		int off = (int) Math.ceil(DEVIATIONS * Math.sqrt(sorted.length) / 2);
		double low = sorted[Math.max(0, last / 2 - off)];
		double high = sorted[Math.min(last, (last + 1) / 2 + off)];
		return new Estimate((sorted[last / 2] + sorted[(last + 1) / 2]) / 2, (high - low) / 2);
	}

	/**
	 * Estimates a time that other work can only lengthen by the lower quartile.
	 * @param processes the figures of each process
	 * @return the lower quartile of all figures, beside those of each process
	 */
	public static Estimate lowerQuartile(List<double[]> processes) {
		double all = lowerQuartile(processes.stream().flatMapToDouble(DoubleStream::of).toArray());
		return ofProcesses(all, processes.stream().map(Estimate::lowerQuartile).toList());
	}

	/**
	 * Estimates from what several processes say, of which no two compile their code
	 * alike.
	 * @param value what they say together
	 * @param processes what each says by itself
	 * @return the value, with half the distance between the two processes that lie
	 * furthest apart as its error
	 */
	public static Estimate ofProcesses(double value, List<Double> processes) {
		DoubleSummaryStatistics ends = processes.stream().collect(Collectors.summarizingDouble((each) -> each));
		return new Estimate(value, (ends.getMax() - ends.getMin()) / 2, processes);
	}

	/**
	 * What a quarter of some figures are not above.
	 * @param figures the figures
	 * @return their lower quartile
	 */
	public static double lowerQuartile(double... figures) {
		double[] sorted = figures.clone();
		Arrays.sort(sorted);
		return sorted[(sorted.length - 1) / 4];
	}

	/**
	 * Says what was estimated.
	 * @param situation what was done
	 * @param contender who did it
	 * @param metric what was measured
	 * @param unit its unit
	 * @return the figure
	 */
	public Measurement as(String situation, String contender, String metric, String unit) {
		return new Measurement(situation, contender, metric, this.value, this.error, unit, this.processes);
	}

}
