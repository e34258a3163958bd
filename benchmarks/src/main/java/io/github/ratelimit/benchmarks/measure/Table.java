package io.github.ratelimit.benchmarks.measure;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How figures are to be read: everybody who was measured in a situation, beside one of
 * them.
 *
 * @param situation the situation
 * @param metric what was measured
 * @param reference the contender that the others are divided by; {@code null} for a table
 * without ratios, whose goals then are for the figures
 * @param referenceSituation the situation that the reference was measured in
 * @param goals what contenders must reach, by name
 * @param charted whether to draw it
 */
public record Table(String situation, String metric, @Nullable String reference, String referenceSituation,
		Map<String, Goal> goals, boolean charted) {

	/**
	 * The contender that does the least that can be done.
	 */
	public static final String FLOOR = "floor";

	/**
	 * A table of ratios to the floor in the same situation.
	 * @param situation the situation
	 * @param metric what was measured
	 * @return the table, without goals
	 */
	public static Table ofRatios(String situation, String metric) {
		return new Table(situation, metric, FLOOR, situation, Map.of(), false);
	}

	/**
	 * A table of the figures themselves.
	 * @param situation the situation
	 * @param metric what was measured
	 * @return the table, without goals
	 */
	public static Table ofFigures(String situation, String metric) {
		return new Table(situation, metric, null, situation, Map.of(), false);
	}

	/**
	 * Divides by something else.
	 * @param contender who was measured
	 * @param inSituation in which situation
	 * @return the same table with that reference
	 */
	public Table dividedBy(String contender, String inSituation) {
		return new Table(this.situation, this.metric, contender, inSituation, this.goals, this.charted);
	}

	/**
	 * Sets a goal.
	 * @param goal what must be reached
	 * @param contenders by whom
	 * @return the same table with that goal
	 */
	public Table goal(Goal goal, String... contenders) {
		Map<String, Goal> more = new LinkedHashMap<>(this.goals);
		for (String contender : contenders) {
			more.put(contender, goal);
		}
		return new Table(this.situation, this.metric, this.reference, this.referenceSituation, more, this.charted);
	}

	/**
	 * Wants a chart.
	 * @return the same table, to be drawn
	 */
	public Table drawn() {
		return new Table(this.situation, this.metric, this.reference, this.referenceSituation, this.goals, true);
	}

}
