package io.github.ratelimit.benchmarks.report;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.github.ratelimit.benchmarks.measure.Table;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.style.CategoryStyler;

/**
 * Draws tables as bars, on white, so that they can be read on a dark page too.
 */
final class Charts {

	private static final Color BAR = new Color(0x9c, 0xc4, 0xe8);

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
		String unit = (table.reference() != null) ? "× " + table.reference() : rows.get(0).measured().unit();
		CategoryChart chart = new CategoryChartBuilder().width(900).height(360).title(title).yAxisTitle(unit).build();
		CategoryStyler styler = chart.getStyler();
		styler.setLegendVisible(false);
		styler.setChartBackgroundColor(Color.WHITE);
		styler.setPlotGridVerticalLinesVisible(false);
		styler.setXAxisLabelRotation(30);
		styler.setLabelsVisible(true);
		styler.setLabelsFontColorAutomaticEnabled(false);
		styler.setLabelsFontColor(Color.BLACK);
		List<String> names = new ArrayList<>();
		List<Double> values = new ArrayList<>();
		rows.forEach((row) -> {
			names.add(row.name());
			values.add(Math.round(row.value() * 100) / 100.0);
		});
		chart.addSeries(unit, names, values).setFillColor(BAR);
		String name = suite + "-" + title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".svg";
		VectorGraphicsEncoder.saveVectorGraphic(chart, this.folder.resolve(name).toString(), VectorGraphicsFormat.SVG);
		return this.folder.getFileName() + "/" + name;
	}

}
