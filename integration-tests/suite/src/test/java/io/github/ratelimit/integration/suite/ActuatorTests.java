package io.github.ratelimit.integration.suite;

import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoint's page and overrides. A test ends without an override.
 */
@Tag("stack")
class ActuatorTests {

	private static final String ENDPOINT = "/actuator/ratelimits";

	private static final String API = ENDPOINT + "/api";

	private static final String OVERRIDE = API + "/override";

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.startWithNeighbours(Handlers.class, "management.endpoints.web.exposure.include=ratelimits",
				"management.endpoint.ratelimits.access=unrestricted", "api: 100 per 1h; key=header('Who')",
				"/ruled -> api", "server.compression.enabled=true");
	}

	@ParameterizedTest
	@CsvSource({ "/page, text/html;charset=UTF-8", "/page/page.css, text/css;charset=UTF-8",
			"/page/page.js, text/javascript;charset=UTF-8" })
	void servesTheFilesOfThePageWithTheirTypes(String path, String type) {
		Answer file = get(ENDPOINT + path).is(200);
		assertThat(file.field("Content-Type")).isEqualToIgnoringCase(type);
		assertThat(file.body()).isNotEmpty();
	}

	@Test
	void compressesTheFilesOfThePageForWhoeverAsksForIt() {
		String file = ENDPOINT + "/page/page.js";
		Answer compressed = server.get(file, "Accept-Encoding", "gzip").is(200, "Content-Encoding: gzip");
		assertThat(get(file).field("Content-Encoding")).isNull();
		server.get(file, "Accept-Encoding", "gzip", "If-None-Match", compressed.field("ETag")).is(304);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/page/LICENSES.txt", "/unknown/history" })
	void servesNothingElse(String path) {
		get(ENDPOINT + path).is(404);
	}

	@Test
	void pageHasItsSecurityPolicyIsInNoFrameAndReadAgainOnlyIfItHasChanged() {
		Answer page = get(ENDPOINT + "/page").is(200, "Cache-Control: no-cache");
		assertThat(page.body()).contains("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'self'");
		assertThat(page.field("Content-Security-Policy")).contains("frame-ancestors 'none'");
		server.get(ENDPOINT + "/page", "If-None-Match", page.field("ETag")).is(304);
		get(ENDPOINT).is(200, "Cache-Control: no-store");
	}

	@Test
	void tellsWhatAPolicyDecidedLatelyAndWhereItApplies() {
		assertThat(get(API + "/history").body()).contains("\"policy\":\"api\"", "\"wouldBeRejected\":[");
		assertThat(get(ENDPOINT).body()).contains("rule /ruled");
	}

	@Test
	void overrideIsPutSeenEnforcedAndTakenBack() {
		assertThat(server.get("/ruled", "Who", "acme").remaining()).isEqualTo(99);
		Answer put = post("?key=acme", "{'limits': [{'limit': 10, 'window': '1m'}], 'reason': 'a test'}");
		assertThat(put.field("ETag")).isNotNull();
		assertThat(put.is(201).body()).contains("\"limit\":10");
		assertThat(server.get("/ruled", "Who", "acme").is(200, "RateLimit-Policy: \"api\";q=10;w=60").remaining())
			.isLessThan(10);
		assertThat(server.get("/ruled", "Who", "other").remaining()).isEqualTo(99);
		assertThat(get(OVERRIDE + "?key=acme").is(200).body()).contains("\"reason\":\"a test\"");
		post("?kye=acme", "{'mode': 'shadow'}").is(400, "Content-Type: application/problem+json");
		get(OVERRIDE).is(404);
		delete(OVERRIDE + "?key=acme").is(204);
		delete(OVERRIDE + "?key=acme").is(404);
		server.get("/ruled", "Who", "acme").is(200, "RateLimit-Policy: \"api\";q=100;w=3600");
	}

	@Test
	void policyIsOverriddenOnlyWhereTheVersionIsTheExpectedOne() {
		post("", "{'mode': 'shadow'}", "If-Match", "\"0\"").is(201);
		assertThat(post("", "{'mode': 'enforce'}", "If-Match", "\"0\"").is(412).body()).contains("\"mode\":\"shadow\"");
		server.get("/ruled").is(200).tellsOfNoLimit();
		server.send("DELETE", OVERRIDE, "", "If-Match", "\"77\"").is(412);
		delete(OVERRIDE).is(204);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			{'limits': [{'limit': 0, 'window': '1m'}]} | $.limits[0].limit
			{'limits': 'none'}                         | $.limits
			""")
	void mistakeIsAProblemAndChangesNothing(String override, String path) {
		Answer mistake = post("", override).is(400, "Content-Type: application/problem+json");
		assertThat(mistake.body()).contains("\"path\":\"" + path + "\"");
		get(OVERRIDE).is(404);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1_000_000 })
	void bodyThatIsTooLongOrNoneIsRefused(int length) {
		String override = (length == 0) ? "" : "{'reason': '" + "x".repeat(length) + "'}";
		assertThat(post("", override).status()).isBetween(400, 499);
		get(OVERRIDE).is(404);
	}

	@Test
	void simulationIsComputed() {
		server
			.send("POST", ENDPOINT + "/simulate",
					"{\"limits\": [{\"limit\": 1, \"window\": \"1m\"}], \"gaps\": [0, 1]}", "Content-Type",
					"application/json")
			.is(200);
	}

	private static Answer post(String query, String override, String... headers) {
		return server.send("POST", API + query, override.replace('\'', '"'),
				TestServer.with(new String[] { "Content-Type", "application/json" }, headers));
	}

	private static Answer get(String path) {
		return server.get(path, "Accept", "text/html,*/*;q=0.1");
	}

	private static Answer delete(String path) {
		return server.send("DELETE", path, "");
	}

}
