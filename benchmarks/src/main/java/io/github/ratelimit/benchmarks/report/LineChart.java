package io.github.ratelimit.benchmarks.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

import io.github.ratelimit.benchmarks.measure.Curves;

import org.springframework.web.util.HtmlUtils;

/**
 * Curves on two logarithmic axes with each curve's name at its end, as an SVG whose text
 * is text. Readable on a light and on a dark page.
 */
final class LineChart {

	private static final int WIDTH = 720;

	private static final int HEIGHT = 360;

	private static final int LEFT = 88;

	private static final int RIGHT = 500;

	private static final int TOP = 60;

	private static final int BOTTOM = 320;

	private static final int LINE = 17;

	private static final String STYLE = """
			<style>
			text{font:13px system-ui,sans-serif;fill:#1f2328}.title{font-size:15px;font-weight:600}.axis{fill:#59636e}
			.grid{stroke:#8b949e;stroke-opacity:.3}polyline{fill:none;stroke:currentColor;stroke-width:2}
			circle{fill:currentColor}.c0{color:#8b949e}.c1{color:#1f6feb}.c2{color:#3fb0c9}.c3{color:#d4711f}.c4{color:#a05bd0}
			@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.axis{fill:#9198a1}}
			</style>
			""";

	private final StringBuilder svg = new StringBuilder();

	private final double least;

	private final double most;

	private final double first;

	private final double last;

	private LineChart(List<Curve> curves) {
		double[] values = values(curves, false);
		double[] numbers = values(curves, true);
		this.least = Math.floor(values[0]);
		this.most = Math.ceil(values[values.length - 1]);
		this.first = numbers[0];
		this.last = numbers[numbers.length - 1];
	}

	private static double[] values(List<Curve> curves, boolean numbers) {
		return curves.stream()
			.flatMap((curve) -> curve.points().stream())
			.mapToDouble((point) -> Math.log10(numbers ? point.number() : point.value()))
			.sorted()
			.toArray();
	}

	/**
	 * Draws a chart.
	 * @param curves what is shown
	 * @param drawn the curves, at least one
	 * @return the SVG
	 */
	static String draw(Curves curves, List<Curve> drawn) {
		LineChart chart = new LineChart(drawn);
		chart.begin(curves);
		for (int i = 0; i < drawn.size(); i++) {
			chart.curve(drawn.get(i), i);
		}
		chart.names(drawn);
		return chart.svg.append("</svg>\n").toString();
	}

	private void begin(Curves curves) {
		append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%1$d\" height=\"%2$d\" role=\"img\">%n",
				WIDTH, HEIGHT);
		String title = HtmlUtils.htmlEscape(curves.title(), "UTF-8");
		append("<title>%s</title>%n%s<text class=\"title\" x=\"8\" y=\"20\">%1$s</text>%n", title, STYLE);
		for (double decade = this.least; decade <= this.most; decade++) {
			append("<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%3$.1f\"/>", LEFT, RIGHT, y(decade));
			append("<text class=\"axis\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%,.0f</text>%n", LEFT - 8,
					y(decade) + 4, Math.pow(10, decade));
		}
		for (Curves.Place place : curves.places()) {
			append("<text class=\"axis\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%,d</text>%n",
					x(Math.log10(place.number())), BOTTOM + 22, place.number());
		}
	}

	private void curve(Curve curve, int index) {
		StringBuilder points = new StringBuilder();
		for (Point point : curve.points()) {
			double x = x(Math.log10(point.number()));
			double y = y(Math.log10(point.value()));
			points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
			append("<circle class=\"c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", index, x, y);
		}
		append("<polyline class=\"c%d\" points=\"%s\"/>%n", index, points.toString().trim());
	}

	/*
	 * Names of curves that end close together are moved apart.
	 */
	private void names(List<Curve> curves) {
		List<Curve> ordered = new ArrayList<>(curves);
		ordered.sort(Comparator.comparingDouble((curve) -> -curve.end().value()));
		double above = TOP - LINE;
		for (Curve curve : ordered) {
			above = Math.max(above + LINE, y(Math.log10(curve.end().value())) + 4);
			append("<text x=\"%d\" y=\"%.1f\">%s, %,.0f</text>%n", RIGHT + 10, above,
					HtmlUtils.htmlEscape(curve.name(), "UTF-8"), curve.end().value());
		}
	}

	private double x(double number) {
		return LEFT + (number - this.first) / Math.max(this.last - this.first, 1e-9) * (RIGHT - LEFT);
	}

	private double y(double value) {
		return BOTTOM - (value - this.least) / Math.max(this.most - this.least, 1e-9) * (BOTTOM - TOP);
	}

	private void append(String format, Object... arguments) {
		this.svg.append(String.format(Locale.ROOT, format, arguments));
	}

	/**
	 * One contender's curve.
	 *
	 * @param name the contender
	 * @param points its points, from the left
	 */
	record Curve(String name, List<Point> points) {

		private Point end() {
			return this.points.get(this.points.size() - 1);
		}

	}

	/**
	 * A point of a curve.
	 *
	 * @param number where it is
	 * @param value what was measured there
	 */
	record Point(int number, double value) {
	}

}
