package io.github.ratelimit.actuate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.http.MediaType;
import org.springframework.test.json.JsonCompareMode;
import org.springframework.test.web.servlet.client.RestTestClient;

import static io.github.ratelimit.actuate.Answers.check;
import static io.github.ratelimit.actuate.Answers.checkMistake;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Simulations over HTTP.
 */
class SimulationEndpointTests extends ActuatorTest {

	private static final String BUCKET = "\"limits\": [{\"limit\": 2, \"window\": \"1m\"}]";

	@Test
	void documentationShowsARequestAndItsAnswer() throws IOException {
		String[] page = Files.readString(Path.of("../docs/playground.md")).split("```json\n|\n```\n");
		post(page[1]).expectStatus()
			.isOk()
			.expectHeader()
			.contentTypeCompatibleWith(MediaType.parseMediaType("application/vnd.spring-boot.actuator.v3+json"))
			.expectBody()
			.json(page[3], JsonCompareMode.STRICT);
	}

	@Test
	void limitsOfTheApplicationAreNotTouched() {
		long before = requests();
		check(post("{" + BUCKET + ", \"gaps\": [0, 0, 0], \"costs\": null}"), 200, "$.limits[0].requests.rejected", 1);
		assertThat(requests()).isEqualTo(before);
		assertThat(this.registry.find("simulation")).isNull();
	}

	private long requests() {
		long requests = 0;
		for (RateLimiter limiter : this.registry.policies()) {
			for (RateLimitOutcome outcome : RateLimitOutcome.values()) {
				requests += limiter.count(outcome);
			}
		}
		return requests;
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '`', delimiter = '|', value = {
			"{\"gaps\": [0]} | $.limits | limits = 0 entries is out of range. | Give 1 to 5 limits.",
			"{\"limits\": [{\"limit\": 2, \"window\": \"1m\"}]} | $.gaps | The member 'gaps' is missing, or not a list. | Write a list of whole numbers",
			"{\"limits\": [{\"limit\": 2, \"window\": 60}], \"gaps\": []} | $.limits[0].window | has no unit. | Write 60s",
			"{\"limits\": [{\"limit\": 100001, \"window\": \"1m\"}], \"gaps\": []} | $.limits[0].limit | limit = 100001 is too large for a simulation. | Use at most 100000.",
			"{\"limits\": [{\"algorithm\": \"fixed-window-counter\", \"limit\": 2, \"window\": \"P1M\", \"zone\": \"UTC\"}], \"gaps\": []} | $.limits[0].zone | is not simulated. | Give the window as a duration",
			"{\"gaps\": [0, -1], \"limits\": [{\"limit\": 2, \"window\": \"1m\"}]} | $.gaps[1] | gaps[1] = -1 is out of range. | Give the milliseconds",
			"{\"Gaps\": [0], \"limits\": [{\"limit\": 2, \"window\": \"1m\"}]} | $.Gaps | The member 'Gaps' is not known. | Did you mean 'gaps'?",
			"{\"gaps\": [0, 1.5]} | $.gaps[1] | The member 'gaps[1]' is not a whole number, or too large. | ",
			"{\"gaps\": [\"0\"]} | $.gaps[0] | The member 'gaps[0]' is not a whole number, or too large. | ",
			"{\"gaps\": [null]} | $.gaps[0] | The member 'gaps[0]' is not a whole number, or too large. | ",
			"{\"gaps\": 0} | $.gaps | The member 'gaps' is missing, or not a list. | ",
			"{\"limits\": [{\"limit\": 2, \"window\": \"1m\"}], \"gaps\": [0], \"costs\": [0]} | $.costs[0] | costs[0] = 0 is out of range. | ",
			"{\"limits\": [{\"limit\": 2, \"window\": \"1m\"}], \"gaps\": [0], \"costs\": []} | $.costs | costs = 0 entries has not as many entries as gaps | ",
			"{\"gap\": []} | $.gap | The member 'gap' is not known. | Did you mean 'gaps'?",
			"{\"ga\\u0000ps\\u001b[31m\": []} | $.ga?ps?[31m | The member 'ga?ps?[31m' is not known. | ",
			"{\"gaps\": [0 | $ | The simulation is not valid JSON, at line 1, column | ",
			"{\"gaps\": [0]} [] | $ | The simulation is not valid JSON, at line 1, column 15: Trailing token | ",
			"[] | $ | The simulation is not a JSON object. | Send an object" })
	void mistakeIsTold(String body, String path, String detail, String action) {
		checkMistake(post((body != null) ? body : ""), path, detail, action);
	}

	@Test
	void hostileBodiesAreAnswered() {
		check(post("{\"limits\": " + "[".repeat(30_000)), 400);
		check(post("{\"gaps\": " + "[".repeat(30_000)), 400);
		check(post("{\"gaps\": [" + "9".repeat(60_000) + "]}"), 400);
		check(post("{\"" + "gaps".repeat(10_000) + "\": []}"), 400);
		check(post("{" + BUCKET + ", \"gaps\": " + gaps(10_001) + "}"), 400, "$.detail",
				"gaps = 10001 entries is out of range.");
		check(post("{\"gaps\": " + " ".repeat(SentJson.MAX_LENGTH) + "[]}"), 413, "$.detail",
				"The simulation is longer than 65536 bytes.");
		check(post(new byte[] { '{', '"', (byte) 0xC3, '"', '}' }), 400, "$.detail", "The simulation is not in UTF-8.");
		check(post("/simulate", "{\"gaps\": []}", MediaType.TEXT_PLAIN), 415);
		check(post("/simulate", "gaps=0", MediaType.APPLICATION_FORM_URLENCODED), 415);
	}

	/*
	 * The first of them may take longer than it may, before the code is compiled.
	 */
	@Test
	void mostRequestsFitIntoTheBody() {
		String body = "{" + BUCKET + ", \"gaps\": " + gaps(10_000) + ", \"costs\": " + gaps(10_000) + "}";
		assertThat(body.length()).isLessThan(SentJson.MAX_LENGTH);
		assertThat(post(body).expectBody().returnResult().getStatus().value()).isIn(200, 503);
	}

	private static List<Integer> gaps(int requests) {
		return Collections.nCopies(requests, 1);
	}

	@Test
	void otherMethodsAreForPolicies() {
		check(get("/simulate?key=x"), 404);
		check(delete("/simulate?key=x"), 404);
		check(post("/simulato", "{}"), 404);
	}

	private RestTestClient.ResponseSpec post(Object body) {
		return post("/simulate", body);
	}

}
