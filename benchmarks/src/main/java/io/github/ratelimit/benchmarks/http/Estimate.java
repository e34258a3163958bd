package io.github.ratelimit.benchmarks.http;

import java.util.Arrays;

/**
 * What many rounds say together. The median, because whatever else the machine does in
 * some rounds shows in their figures alone.
 *
 * @param value the median
 * @param error half the width of its 99.9 % confidence interval, which with few rounds is
 * the whole spread
 */
record Estimate(double value, double error) {

	private static final double DEVIATIONS = 3.29;

	static Estimate of(double... figures) {
		double[] sorted = figures.clone();
		Arrays.sort(sorted);
		int last = sorted.length - 1;
		// the median's rank is binomial
		int off = (int) Math.ceil(DEVIATIONS * Math.sqrt(sorted.length) / 2);
		double low = sorted[Math.max(0, last / 2 - off)];
		double high = sorted[Math.min(last, (last + 1) / 2 + off)];
		return new Estimate((sorted[last / 2] + sorted[(last + 1) / 2]) / 2, (high - low) / 2);
	}

}
