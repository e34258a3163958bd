package io.github.ratelimit.benchmarks.measure;

import java.util.Arrays;

/**
 * What many rounds say together. The median, because whatever else the machine does in
 * some rounds shows in their figures alone.
 *
 * @param value the median
 * @param error half the width of its 99.9 % confidence interval, which with few rounds is
 * the whole spread
 */
public record Estimate(double value, double error) {

	private static final double DEVIATIONS = 3.29;

	/**
	 * Estimates.
	 * @param figures the figures of all rounds
	 * @return their median
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
	 * Says what was estimated.
	 * @param situation what was done
	 * @param contender who did it
	 * @param metric what was measured
	 * @param unit its unit
	 * @return the figure
	 */
	public Measurement as(String situation, String contender, String metric, String unit) {
		return new Measurement(situation, contender, metric, this.value, this.error, unit);
	}

}
