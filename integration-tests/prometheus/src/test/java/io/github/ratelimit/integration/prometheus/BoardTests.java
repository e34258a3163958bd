package io.github.ratelimit.integration.prometheus;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The dashboard can be imported, and explains itself.
 */
class BoardTests {

	static List<JsonNode> panels() {
		return Board.panels();
	}

	@ParameterizedTest
	@MethodSource("panels")
	void panelSaysWhatItShowsInWhichUnit(JsonNode panel) {
		assertThat(panel.path("title").asString()).isNotBlank();
		assertThat(panel.path("description").asString()).endsWith(".");
		assertThat(panel.path("fieldConfig").path("defaults").path("unit").asString()).isNotBlank();
		assertThat(panel.path("targets").valueStream()).isNotEmpty();
	}

	@ParameterizedTest
	@MethodSource("panels")
	void panelAsksTheChosenDataSource(JsonNode panel) {
		assertThat(panel.findValues("datasource"))
			.allSatisfy((source) -> assertThat(source.path("uid").asString()).isEqualTo("${datasource}"))
			.hasSize(1 + panel.path("targets").size());
	}

	@Test
	void eachQueryAsksForTheChosenApplication() {
		assertThat(Board.queries()).allSatisfy((query) -> assertThat(query.expression()).contains("job=~\"$job\""));
	}

	@Test
	void variablesAreTheDataSourceTheApplicationAndThePolicy() {
		assertThat(
				Board.json().path("templating").path("list").valueStream().map((each) -> each.path("name").asString()))
			.containsExactly("datasource", "job", "policy");
	}

	@Test
	void panelsLieBesideEachOther() {
		Set<String> ids = new HashSet<>();
		Set<String> places = new HashSet<>();
		for (JsonNode panel : Board.json().path("panels")) {
			assertThat(ids.add(panel.path("id").asString())).as(panel.path("title").asString()).isTrue();
			JsonNode place = panel.path("gridPos");
			assertThat(place.path("x").asInt() + place.path("w").asInt()).isLessThanOrEqualTo(24);
			for (int x = 0; x < place.path("w").asInt(); x++) {
				for (int y = 0; y < place.path("h").asInt(); y++) {
					String field = (place.path("x").asInt() + x) + "," + (place.path("y").asInt() + y);
					assertThat(places.add(field)).as(panel.path("title").asString()).isTrue();
				}
			}
		}
	}

}
