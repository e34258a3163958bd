package io.github.ratelimit.benchmarks.measure;

import java.util.List;

/**
 * A figure of a few contenders that is drawn over a number, such as that of callers.
 *
 * @param title what is shown
 * @param metric what was measured
 * @param places the numbers, each with the situation in which it was measured
 * @param contenders the contenders, a curve each
 */
public record Curves(String title, String metric, List<Place> places, List<String> contenders) {

	/**
	 * A place on the axis.
	 *
	 * @param number the number
	 * @param situation the situation that has it
	 */
	public record Place(int number, String situation) {
	}

}
