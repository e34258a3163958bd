package io.github.ratelimit.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

import io.github.ratelimit.benchmarks.measure.Curves;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * Keeps a file for each table that is drawn, and for curves.
 */
final class Charts {

	private final Path folder;

	Charts(Path folder) {
		this.folder = folder;
	}

	/**
	 * Draws a table.
	 * @return the file, seen from the folder above
	 */
	String draw(String suite, String title, Table table, List<Row> rows) throws IOException {
		String reference = (table.reference() != null) ? table.reference() : "";
		String measured = rows.get(0).measured().unit();
		String unit = (!reference.isEmpty() ? "× " + reference : measured)
				+ (measured.endsWith("/s") ? ", more is better" : ", less is better");
		return write(suite, title, BarChart.draw(title, unit, reference, rows));
	}

	/**
	 * Draws curves.
	 * @return the file, seen from the folder above, or an empty text if nothing was
	 * measured
	 */
	String draw(String suite, Curves curves, List<Measurement> measurements) throws IOException {
		List<LineChart.Curve> drawn = curves.contenders()
			.stream()
			.map((contender) -> new LineChart.Curve(contender, points(curves, contender, measurements)))
			.filter((curve) -> !curve.points().isEmpty())
			.toList();
		return drawn.isEmpty() ? "" : write(suite, curves.title(), LineChart.draw(curves, drawn));
	}

	private static List<LineChart.Point> points(Curves curves, String contender, List<Measurement> measurements) {
		return curves.places()
			.stream()
			.flatMap((place) -> measurements.stream()
				.filter((measured) -> measured.contender().equals(contender)
						&& measured.situation().equals(place.situation()) && measured.metric().equals(curves.metric()))
				.map((measured) -> new LineChart.Point(place.number(), measured.value())))
			.toList();
	}

	private String write(String suite, String title, String svg) throws IOException {
		Files.createDirectories(this.folder);
		String name = suite + "-" + title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".svg";
		Files.writeString(this.folder.resolve(name), svg);
		return this.folder.getFileName() + "/" + name;
	}

}
