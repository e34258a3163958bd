package io.github.ratelimit.test.model;

import java.util.Random;
import java.util.function.Consumer;

/**
 * Runs a property for many seeds. A failure names its seed, and the system property
 * {@code ratelimit.seed} runs that one alone. The property {@code ratelimit.cases} is how
 * many percent of the seeds to run, where the same tests run for each of many mutants.
 *
 * @since 0.1.0
 */
public final class RandomCases {

	private static final String SEED = "ratelimit.seed";

	private static final int PERCENT = Integer.getInteger("ratelimit.cases", 100);

	private RandomCases() {
	}

	/**
	 * Checks a property.
	 * @param cases how many seeds to try
	 * @param property draws a case from the random numbers and checks it
	 */
	public static void check(int cases, Consumer<Random> property) {
		Long only = Long.getLong(SEED);
		if (only != null) {
			checkOne(only, property);
			return;
		}
		for (long seed = 1; seed <= Math.max(1, cases * PERCENT / 100); seed++) {
			checkOne(seed, property);
		}
	}

	private static void checkOne(long seed, Consumer<Random> property) {
		try {
			property.accept(new Random(seed * 0x9E3779B97F4A7C15L));
		}
		catch (AssertionError | RuntimeException ex) {
			throw new AssertionError("With -D" + SEED + "=" + seed + ": " + ex.getMessage(), ex);
		}
	}

}
