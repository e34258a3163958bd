package io.github.ratelimit.benchmarks.measure;

/**
 * How long to measure.
 */
public enum Mode {

	/** Just to see that everything runs: the figures mean nothing. */
	SMOKE,

	/** A few minutes for each suite. */
	QUICK,

	/** As long as it takes for figures to be quoted. */
	FULL

}
