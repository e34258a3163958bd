package io.github.ratelimit.benchmarks.report;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import io.github.ratelimit.benchmarks.measure.Goal;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Table;
import org.jspecify.annotations.Nullable;

/**
 * One contender's line of a table.
 *
 * @param measured the contender's figure
 * @param ratio how it relates to the reference, in a table of ratios
 * @param goal what it must reach, if anything
 */
record Row(Measurement measured, @Nullable Ratio ratio, @Nullable Goal goal) {

	static List<Row> of(Table table, Results results) {
		Measurement reference = reference(table, results);
		return results.measurements()
			.stream()
			.filter((measured) -> measured.situation().equals(table.situation())
					&& measured.metric().equals(table.metric()))
			.map((measured) -> new Row(measured, (reference != null) ? Ratio.of(measured, reference) : null,
					table.goals().get(measured.contender())))
			.toList();
	}

	private static @Nullable Measurement reference(Table table, Results results) {
		return results.measurements()
			.stream()
			.filter((measured) -> measured.contender().equals(table.reference())
					&& measured.situation().equals(table.referenceSituation())
					&& measured.metric().equals(table.metric()))
			.findFirst()
			.orElse(null);
	}

	String name() {
		return this.measured.contender();
	}

	double value() {
		return (this.ratio != null) ? this.ratio.value() : this.measured.value();
	}

	String valueText() {
		return number(value());
	}

	boolean isMissed() {
		return this.goal != null && !this.goal.isMetBy(value());
	}

	String goalText() {
		if (this.goal == null) {
			return "";
		}
		return (this.goal.most() ? "≤ " : "≥ ") + number(this.goal.bound()) + (isMissed() ? " **missed**" : " met");
	}

	String figureText() {
		return withError(this.measured.value(), this.measured.error()) + " " + this.measured.unit();
	}

	/*
	 * In the order in which they were measured.
	 */
	String processesText() {
		return this.measured.processes().stream().map(Row::number).collect(Collectors.joining(" "));
	}

	String ratioText() {
		return (this.ratio != null) ? withError(this.ratio.value(), this.ratio.error()) : "";
	}

	private static String withError(double value, double error) {
		return number(value) + ((error != 0) ? " ± " + number(error) : "");
	}

	private static String number(double value) {
		double size = Math.abs(value);
		String format = (size >= 100 || value == Math.rint(value)) ? "%,.0f" : (size >= 10) ? "%.1f" : "%.2f";
		return String.format(Locale.ROOT, format, value);
	}

}
