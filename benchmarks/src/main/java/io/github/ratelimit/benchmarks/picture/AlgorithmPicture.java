package io.github.ratelimit.benchmarks.picture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;

/**
 * Draws the five algorithms one above the other on one time axis.
 */
public final class AlgorithmPicture {

	private static final int LABELS = 170;

	private static final double SECOND = 19;

	private static final int TOP = 70;

	private static final int LANE = 34;

	/* Those that wait stand one below the other, or they would hide each other. */
	private static final int WAITING = 9;

	private static final String STYLE = """
			<style>
			text{font:13px system-ui,sans-serif;fill:#1f2328}.title{font-size:15px;font-weight:600}.note{fill:#59636e;font-size:12px}
			.pass{fill:#1a7f37}.wait{stroke:#9a6700;stroke-width:2}.late{fill:#9a6700}.no{stroke:#cf222e;stroke-width:2}.edge{stroke:#59636e;stroke-dasharray:3 3}
			@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.note{fill:#9198a1}.pass{fill:#3fb950}.wait{stroke:#d29922}.late{fill:#d29922}.no{stroke:#f85149}.edge{stroke:#9198a1}}
			</style>
			""";

	private final StringBuilder svg = new StringBuilder();

	private AlgorithmPicture() {
	}

	/**
	 * Writes the picture.
	 * @param file the file to write
	 * @throws IOException if it cannot be written
	 */
	public static void write(Path file) throws IOException {
		Files.writeString(file, draw());
	}

	static String draw() {
		AlgorithmPicture picture = new AlgorithmPicture();
		Map<String, RateLimit> lanes = lanes();
		picture.begin(lanes.size() + (int) lanes.values().stream().filter(RateLimit::delays).count());
		int y = TOP;
		for (Map.Entry<String, RateLimit> lane : lanes.entrySet()) {
			int middle = y + (lane.getValue().delays() ? LANE / 2 : 0);
			picture.lane(lane.getKey(), Traffic.under(lane.getValue()), middle);
			y += lane.getValue().delays() ? 2 * LANE : LANE;
		}
		return picture.svg.append("</svg>\n").toString();
	}

	private static Map<String, RateLimit> lanes() {
		Map<String, RateLimit> lanes = new LinkedHashMap<>();
		for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
			RateLimit.Builder limit = RateLimit.builder(algorithm).limit(5).window(Duration.ofSeconds(10));
			if (algorithm == RateLimitAlgorithm.LEAKY_BUCKET) {
				limit.burst(3L);
			}
			lanes.put(algorithm.id().replace('-', ' '), limit.build());
		}
		return lanes;
	}

	private void begin(int lanes) {
		double width = x(Traffic.SECONDS + 4);
		int bottom = TOP + lanes * LANE;
		append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %d\" width=\"%1$.0f\" height=\"%2$d\" role=\"img\">%n",
				width, bottom + 24);
		append("<title>What five algorithms make of the same requests, with 5 permits in 10 seconds</title>%n%s",
				STYLE);
		append("<text class=\"title\" x=\"8\" y=\"20\">The same requests under each algorithm, 5 permits in 10 s</text>%n");
		passed(14, 42);
		append("<text class=\"note\" x=\"24\" y=\"46\">passes at once</text>%n");
		delayed(124, 42, 30);
		append("<text class=\"note\" x=\"164\" y=\"46\">arrives and waits, then passes (leaky bucket with burst 3)</text>%n");
		rejected(560, 42);
		append("<text class=\"note\" x=\"570\" y=\"46\">is rejected</text>%n");
		for (int edge = 0; edge <= Traffic.SECONDS; edge += 10) {
			append("<line class=\"edge\" x1=\"%.1f\" y1=\"%d\" x2=\"%1$.1f\" y2=\"%d\"/>", x(edge), TOP - 14,
					bottom - 10);
			append("<text class=\"note\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d s</text>%n", x(edge),
					bottom + 10, edge);
		}
	}

	private void lane(String name, List<Traffic.Outcome> outcomes, int y) {
		int waiting = 0;
		append("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n", LABELS - 14, y + 5, name);
		for (Traffic.Outcome outcome : outcomes) {
			double x = x(outcome.arrival());
			if (!outcome.allowed()) {
				rejected(x, y);
			}
			else if (outcome.delay() > 0) {
				delayed(x, y + WAITING * (waiting++ % 4 - 2), outcome.delay() * SECOND);
			}
			else {
				passed(x, y);
			}
		}
		append("%n");
	}

	private void passed(double x, int y) {
		append("<circle class=\"pass\" cx=\"%.1f\" cy=\"%d\" r=\"3.5\"/>", x, y);
	}

	private void delayed(double x, int y, double length) {
		append("<path class=\"wait\" d=\"M%.1f %dv-3v6v-3h%.1f\"/><circle class=\"late\" cx=\"%.1f\" cy=\"%d\" r=\"3.5\"/>",
				x, y, length, x + length, y);
	}

	private void rejected(double x, int y) {
		append("<path class=\"no\" d=\"M%.1f %dl5 6m0 -6l-5 6\"/>", x - 2.5, y - 3);
	}

	private static double x(double seconds) {
		return LABELS + seconds * SECOND;
	}

	private void append(String format, Object... arguments) {
		this.svg.append(String.format(Locale.ROOT, format, arguments));
	}

}
