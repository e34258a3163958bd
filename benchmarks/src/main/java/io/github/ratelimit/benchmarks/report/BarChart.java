package io.github.ratelimit.benchmarks.report;

import java.util.List;
import java.util.Locale;

import org.springframework.web.util.HtmlUtils;

/**
 * Horizontal bars with the value at the bar's end, as an SVG whose text is text. Readable
 * on a light and on a dark page.
 */
final class BarChart {

	private static final int WIDTH = 720;

	private static final int LABELS = 240;

	private static final int VALUES = 70;

	private static final int TOP = 56;

	private static final int ROW = 24;

	private static final int BAR = 16;

	/* A longer bar is cut, or it would leave no room for the others. */
	private static final double MAX_MEDIANS = 4;

	private static final String STYLE = """
			<style>
			text{font:13px system-ui,sans-serif;fill:#1f2328}.title{font-size:15px;font-weight:600}.unit{fill:#59636e}
			rect{fill:#4c8ed9}.reference rect{fill:#8b949e}.one{stroke:#59636e;stroke-dasharray:3 3}.cut{stroke:#fff;stroke-width:3}
			@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.unit{fill:#9198a1}rect{fill:#388bfd}.one{stroke:#9198a1}.cut{stroke:#0d1117}}
			</style>
			""";

	private final StringBuilder svg = new StringBuilder();

	private final double longest;

	private BarChart(double longest) {
		this.longest = longest;
	}

	/**
	 * Draws a chart.
	 * @param title what is shown
	 * @param unit the unit of all values
	 * @param reference the contender that all values are multiples of, or an empty text
	 * @param rows the bars, at least one
	 * @return the SVG
	 */
	static String draw(String title, String unit, String reference, List<Row> rows) {
		double[] values = rows.stream().mapToDouble(Row::value).sorted().toArray();
		BarChart chart = new BarChart(
				Math.min(values[values.length - 1], MAX_MEDIANS * Math.max(values[values.length / 2], 1e-9)));
		chart.begin(title, unit, rows.size());
		for (int i = 0; i < rows.size(); i++) {
			chart.bar(rows.get(i), TOP + i * ROW, rows.get(i).name().equals(reference));
		}
		if (!reference.isEmpty()) {
			chart.line("one", x(1 / chart.longest), TOP - 6, x(1 / chart.longest), TOP + rows.size() * ROW);
		}
		return chart.svg.append("</svg>\n").toString();
	}

	private void begin(String title, String unit, int bars) {
		String escaped = HtmlUtils.htmlEscape(title, "UTF-8");
		int height = TOP + bars * ROW + 8;
		append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%1$d\" height=\"%2$d\" role=\"img\">%n",
				WIDTH, height);
		append("<title>%s</title>%n%s", escaped, STYLE);
		append("<text class=\"title\" x=\"8\" y=\"20\">%s</text>%n", escaped);
		append("<text class=\"unit\" x=\"%d\" y=\"42\">%s</text>%n", LABELS, HtmlUtils.htmlEscape(unit, "UTF-8"));
	}

	private void bar(Row row, int y, boolean reference) {
		double share = Math.min(1, row.value() / this.longest);
		double end = x(share);
		append("<g%s><text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>", reference ? " class=\"reference\"" : "",
				LABELS - 8, y + 13, HtmlUtils.htmlEscape(row.name(), "UTF-8"));
		append("<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>", LABELS, y, end - LABELS, BAR);
		append("<text x=\"%.1f\" y=\"%d\">%s</text></g>%n", end + 6, y + 13, row.valueText());
		if (row.value() > this.longest) {
			line("cut", end - 22, y + BAR + 2, end - 14, y - 2);
		}
	}

	private void line(String type, double x1, double y1, double x2, double y2) {
		append("<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n", type, x1, y1, x2, y2);
	}

	private static double x(double share) {
		return LABELS + share * (WIDTH - LABELS - VALUES);
	}

	private void append(String format, Object... arguments) {
		this.svg.append(String.format(Locale.ROOT, format, arguments));
	}

}
