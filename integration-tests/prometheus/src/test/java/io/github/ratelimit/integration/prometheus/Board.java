package io.github.ratelimit.integration.prometheus;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The dashboard that users import into Grafana.
 */
final class Board {

	static final Path DOCS = Path.of("..", "..", "docs").toAbsolutePath().normalize();

	/* Longer than the tests take. */
	static final int INTERVAL_SECONDS = 600;

	private static final JsonNode JSON = new JsonMapper().readTree(DOCS.resolve("grafana/ratelimit.json"));

	private Board() {
	}

	static JsonNode json() {
		return JSON;
	}

	static List<JsonNode> panels() {
		return JSON.path("panels")
			.valueStream()
			.filter((panel) -> !panel.path("type").asString().equals("row"))
			.toList();
	}

	static Stream<Query> queries() {
		return panels().stream()
			.flatMap((panel) -> panel.path("targets")
				.valueStream()
				.map((target) -> new Query(panel.path("title").asString(),
						panel.path("fieldConfig").path("defaults").path("unit").asString(),
						target.path("legendFormat").asString(), target.path("expr").asString())));
	}

	/**
	 * A query of a panel.
	 *
	 * @param panel the panel's title
	 * @param unit the unit of the values
	 * @param legend the name of a series, with its labels in braces
	 * @param expression the query, with variables of Grafana
	 */
	record Query(String panel, String unit, String legend, String expression) {

		/**
		 * Puts values into the variables, as Grafana does.
		 * @param policy the chosen policy, or {@code .*} for all
		 * @return what Prometheus is asked
		 */
		String text(String policy) {
			String interval = INTERVAL_SECONDS + "s";
			return this.expression.replace("$__rate_interval", interval)
				.replace("$__range", interval)
				.replace("$job", ".*")
				.replace("$policy", policy);
		}

		boolean isPerSecond() {
			return this.unit.equals("reqps") || this.unit.equals("ops");
		}

		@Override
		public String toString() {
			return this.panel + ", " + this.legend;
		}

	}

}
