package io.github.ratelimit.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

import io.github.ratelimit.benchmarks.measure.Curves;
import io.github.ratelimit.benchmarks.measure.Suite;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * Writes the results of all suites as a page of tables and charts.
 */
public final class Report {

	private static final String BEGINNING = """
			# Results

			Written by the benchmarks, from what they measured last; do not edit. The figures are true of one machine at one
			time and are here for orientation: what holds elsewhere are the ratios, of contenders in one run.
			""";

	private final ResultsFolder results;

	private final Path page;

	private final Charts charts;

	/**
	 * Creates a report.
	 * @param results what was measured
	 * @param page the page to write
	 * @param charts the folder for its charts
	 */
	public Report(ResultsFolder results, Path page, Path charts) {
		this.results = results;
		this.page = page;
		this.charts = new Charts(charts);
	}

	/**
	 * Writes the page anew.
	 * @param suites the suites, in the page's order; those without results are left out
	 * @throws IOException if a file cannot be written
	 */
	public void write(List<? extends Suite> suites) throws IOException {
		StringBuilder text = new StringBuilder(BEGINNING);
		for (Suite suite : suites) {
			Results found = this.results.find(suite);
			if (found != null) {
				append(text, suite, found);
			}
		}
		Files.writeString(this.page, text);
	}

	private void append(StringBuilder text, Suite suite, Results found) throws IOException {
		text.append("\n## ").append(suite.description().strip()).append("\n\n");
		text.append(
				"%s, %s, %s. Command: `%s`%n".formatted(found.date(), found.machine(), found.java(), found.command()));
		for (Curves curves : suite.curves()) {
			String file = this.charts.draw(suite.name(), curves, found.measurements());
			text.append(file.isEmpty() ? "" : "%n![%s](%s)%n".formatted(curves.title(), file));
		}
		for (Table table : suite.tables()) {
			List<Row> rows = Row.of(table, found);
			if (!rows.isEmpty()) {
				append(text, suite, table, rows);
			}
		}
	}

	private void append(StringBuilder text, Suite suite, Table table, List<Row> rows) throws IOException {
		String title = capitalised(table.situation()) + ": " + table.metric();
		text.append("\n### ").append(title).append("\n\n");
		if (table.charted()) {
			String file = this.charts.draw(suite.name(), title, table, rows);
			text.append("![%s](%s)%n%n".formatted(title, file));
		}
		boolean ofProcesses = rows.stream().anyMatch((row) -> !row.measured().processes().isEmpty());
		text.append("| | %s | %s | goal |".formatted(table.metric(), ratioTitle(table)));
		if (ofProcesses) {
			text.append(" each process |\n|---|---|---|---|---|\n");
		}
		else {
			text.append("\n|---|---|---|---|\n");
		}

		for (Row row : rows) {
			text.append(
					"| %s | %s | %s | %s |".formatted(row.name(), row.figureText(), row.ratioText(), row.goalText()));
			if (ofProcesses) {
				text.append(" %s |".formatted(row.processesText()));
			}
			text.append('\n');
		}
	}

	private static String ratioTitle(Table table) {
		if (table.reference() == null) {
			return "";
		}
		String other = table.referenceSituation().equals(table.situation()) ? ""
				: " (" + table.referenceSituation() + ")";
		return "× " + table.reference() + other;
	}

	private static String capitalised(String text) {
		return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
	}

}
