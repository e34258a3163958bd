package io.github.ratelimit.benchmarks.measure;

/**
 * What a ratio must reach.
 *
 * @param bound the ratio
 * @param most whether it is the most that is allowed, otherwise the least
 */
public record Goal(double bound, boolean most) {

	/**
	 * A ratio must not be above a bound.
	 * @param bound the ratio
	 * @return the goal
	 */
	public static Goal atMost(double bound) {
		return new Goal(bound, true);
	}

	/**
	 * A ratio must not be below a bound.
	 * @param bound the ratio
	 * @return the goal
	 */
	public static Goal atLeast(double bound) {
		return new Goal(bound, false);
	}

	/**
	 * Whether a ratio reaches the goal.
	 * @param ratio the ratio
	 * @return {@code true} if it does
	 */
	public boolean isMetBy(double ratio) {
		return this.most ? ratio <= this.bound : ratio >= this.bound;
	}

}
