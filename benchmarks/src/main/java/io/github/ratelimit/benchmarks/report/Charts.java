package io.github.ratelimit.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

import io.github.ratelimit.benchmarks.measure.Table;

/**
 * Keeps a file for each table that is drawn.
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
		Files.createDirectories(this.folder);
		String reference = (table.reference() != null) ? table.reference() : "";
		String measured = rows.get(0).measured().unit();
		String unit = (!reference.isEmpty() ? "× " + reference : measured)
				+ (measured.endsWith("/s") ? ", more is better" : ", less is better");
		String name = suite + "-" + title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".svg";
		Files.writeString(this.folder.resolve(name), BarChart.draw(title, unit, reference, rows));
		return this.folder.getFileName() + "/" + name;
	}

}
