package io.github.ratelimit.actuate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static io.github.ratelimit.actuate.Answers.check;
import static io.github.ratelimit.actuate.Answers.checkMistake;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Overrides over HTTP.
 */
@Import(OverrideEndpointTests.Audit.class)
@ExtendWith(OutputCaptureExtension.class)
class OverrideEndpointTests extends ActuatorTest {

	private static final String LOGIN = "/login";

	private static final String OVERRIDE = LOGIN + "/override";

	private static final String TEN = "{\"limits\": [{\"algorithm\": \"fixed-window-counter\", \"limit\": 10, \"window\": \"1m\"}]}";

	@Autowired
	private Audit audit;

	@Override
	@AfterEach
	void takeOverridesBack() {
		super.takeOverridesBack();
		this.audit.events.clear();
	}

	@Test
	void policyIsOverriddenForATimeAndTellsSo(CapturedOutput output) {
		RestTestClient.ResponseSpec answer = post(LOGIN,
				"{\"limits\": [{\"algorithm\": \"fixed-window-counter\", \"limit\": \"10\", \"window\": \"1m\"}], "
						+ "\"mode\": \"enforce\", \"for\": \"2h\", \"reason\": \"a \\n bad night\"}");
		check(answer, 201, "$.policy", "login", "$.limits.length()", 1, "$.limits[0].limit", 10,
				"$.defined.limits.length()", 2, "$.duration", 7200, "$.reason", "a \n bad night", "$.scope",
				"this instance, until it stops");
		answer.expectHeader().valueMatches(HttpHeaders.ETAG, "\"\\d+\"");
		check(ask("/login"), 200, "RateLimit-Policy", "\"login\";q=10;w=60");
		check(get(""), 200, "$.policies.login.overrides[0].reason", "a \n bad night", "$.policies.queue.overrides",
				null);
		assertThat(output)
			.contains("The rate limit policy 'login' was overridden: [fixed-window-counter 10 per 1 min] "
					+ "in place of [sliding-window-log 2 per 1 min, token-bucket 10 per 1 h, burst 5], until ")
			.contains("because: a ? bad night");
		assertThat(this.audit.events).singleElement().satisfies((event) -> {
			assertThat(event.getType()).isEqualTo("RATE_LIMIT_OVERRIDDEN");
			assertThat(event.getData()).containsEntry("policy", "login").containsEntry("reason", "a \n bad night");
		});
		this.clock.advance(Duration.ofHours(2));
		check(get(OVERRIDE), 404, "$.title", "Override not found");
		check(get(""), 200, "$.policies.login.overrides", null);
	}

	@Test
	void aReasonBreaksNoLineOfTheLogAndTurnsNoDirection(CapturedOutput output) {
		check(post(LOGIN,
				"{\"mode\": \"shadow\", \"reason\": \"one\\u2028two\\u2029three\\u0085four\\u202efive\\u2067six\"}"),
				201);
		assertThat(output).contains("because: one?two?three?four?five?six");
	}

	@Test
	void documentationShowsABodyThatIsAnOverride() throws IOException {
		String page = Files.readString(Path.of("../docs/overrides.md"));
		String body = page.substring(page.indexOf("```json\n") + 8, page.indexOf("\n```\n"));
		check(post(LOGIN, body), 201, "$.limits[0].limit", 10, "$.duration", 7200);
	}

	@Test
	void overrideIsSeenAndTakenBack() {
		check(post(LOGIN, TEN), 201);
		check(post(LOGIN, TEN), 200);
		get(OVERRIDE).expectStatus().isOk().expectHeader().exists(HttpHeaders.ETAG);
		delete(OVERRIDE).expectStatus().isNoContent().expectBody().isEmpty();
		check(delete(OVERRIDE), 404, "$.title", "Override not changed");
		assertThat(this.registry.overrides().inForce()).isEmpty();
		assertThat(this.audit.events).extracting(AuditEvent::getType)
			.containsExactly("RATE_LIMIT_OVERRIDDEN", "RATE_LIMIT_OVERRIDDEN", "RATE_LIMIT_OVERRIDE_REMOVED");
	}

	@Test
	void keyIsOverriddenAloneAndItsLookShowsIt(CapturedOutput output) {
		check(post(LOGIN + "?key=192.0.2.77", TEN), 201);
		check(get(LOGIN + "?key=192.0.2.77"), 200, "$.standing.remaining", 10, "$.limits.length()", 1, "$.override.key",
				"192.0.2.77");
		check(get(LOGIN + "?key=192.0.2.78"), 200, "$.standing.remaining", 2, "$.override", null);
		check(get(OVERRIDE), 404);
		check(get(OVERRIDE + "?key=192.0.2.77"), 200);
		check(delete(OVERRIDE + "?key=192.0.2.77"), 204);
		assertThat(output).doesNotContain("192.0.2.77").contains("of the key with the hash ");
		assertThat(this.audit.events).hasSize(2)
			.allSatisfy((event) -> assertThat(event.toString()).doesNotContain("192.0.2.77"));
	}

	@Test
	void changesOfOthersAreNotOverwritten() {
		String first = tag(post(LOGIN, TEN));
		String second = tag(post(LOGIN, TEN, first));
		assertThat(second).isNotEqualTo(first);
		for (String stale : List.of(first, "\"0\"")) {
			check(post(LOGIN, TEN, stale), 412, "Content-Type", "application/problem+json", "$.current.version",
					Integer.parseInt(second.replace("\"", "")));
			check(this.client.delete()
				.uri("/actuator/ratelimits" + OVERRIDE)
				.header(HttpHeaders.IF_MATCH, stale)
				.exchange(), 412);
		}
		check(post(LOGIN, TEN, "W/" + second), 400, "$.title", "Override not changed", "$.detail",
				"The expected version is not a version.");
		check(post(LOGIN, TEN, "*"), 200);
		check(this.client.delete().uri("/actuator/ratelimits" + OVERRIDE).header(HttpHeaders.IF_MATCH, "*").exchange(),
				204);
		check(post(LOGIN, TEN, "*"), 412);
		check(post(LOGIN, TEN, "\"0\""), 201);
	}

	@Test
	void ifNoneMatchOverridesWhatIsNotOverridden() {
		for (int status : new int[] { 201, 412 }) {
			check(this.client.post()
				.uri("/actuator/ratelimits" + LOGIN)
				.contentType(MediaType.APPLICATION_JSON)
				.header(HttpHeaders.IF_NONE_MATCH, "*")
				.body(TEN)
				.exchange(), status);
		}
	}

	@Test
	void ifNoneMatchWithAVersionIsRefusedAndNotTakenForItsOpposite() {
		check(post(LOGIN, TEN, "\"0\""), 201);
		String version = "\"" + this.registry.overrides().inForce().get(0).version() + "\"";

		check(this.client.post()
			.uri("/actuator/ratelimits" + LOGIN)
			.contentType(MediaType.APPLICATION_JSON)
			.header(HttpHeaders.IF_NONE_MATCH, version)
			.body(TEN)
			.exchange(), 400, "$.detail", "The expected version is not a version.");
	}

	@ParameterizedTest
	@CsvSource({ "POST, '?key=a&key=b', key", "POST, '?plan=a&plan=b', plan", "DELETE, '?key=a&key=b', key",
			"DELETE, '/override?key=a&key=b', key", "GET, '?key=a&key=b', key",
			"GET, '/override?plan=a&plan=b', plan" })
	void noParameterIsThereTwice(HttpMethod method, String query, String parameter) {
		RestTestClient.RequestBodySpec request = this.client.method(method).uri("/actuator/ratelimits" + LOGIN + query);
		if (method == HttpMethod.POST) {
			request.contentType(MediaType.APPLICATION_JSON).body(TEN);
		}
		check(request.exchange(), 400, "$.title", "Invalid parameter", "$.detail",
				"The parameter '" + parameter + "' is there twice.", "$.action", "Remove one of them.");
	}

	@ParameterizedTest
	@CsvSource({ "'?key=a&plan=b', plan", "'?key=a&version=1', version", "'/ban?key=a&plan=b', plan",
			"'/ban?key=a&version=1', version" })
	void aResetAndTheEndOfABanTakeNoParameterOfAnOverride(String query, String parameter) {
		check(this.client.delete().uri("/actuator/ratelimits" + LOGIN + query).exchange(), 400, "$.title",
				"Invalid parameter", "$.detail", "The parameter '" + parameter + "' is not known.", "$.action",
				"Known: 'key'.");
	}

	@Test
	void whatIsOnlyReadIsNotTakenBack() {
		check(this.client.delete().uri("/actuator/ratelimits" + LOGIN + "/history").exchange(), 404, "$.detail",
				"There is no 'history' that could be taken back.", "$.action",
				"DELETE takes back 'override' and 'ban' only.");
	}

	@Test
	void whatDoesNotExistIsNotFound() {
		check(post("/logim", TEN), 404, "$.message",
				"There is no rate limit policy named 'logim'. Did you mean 'login'?");
		check(post(LOGIN + "?plan=pro", TEN), 404, "$.detail", "The rate limit policy 'login' has no plan named 'pro'.",
				"$.action", "None is known.");
		check(post(LOGIN + "?plan=pro&key=k", TEN), 400);
		check(post(LOGIN + "?plan=" + "x".repeat(1025), TEN), 400, "$.detail", "plan = 1025 characters is too long.");
		check(post(LOGIN + "?key=", TEN), 400, "$.detail", "The key is missing or empty.");
		check(delete(LOGIN + "/overridden"), 404);
		check(get(LOGIN + "/overridden"), 404, "$.detail", "There is no 'overridden' of a policy.", "$.action",
				"Did you mean 'override'? Known: 'advice', 'ban', 'history', 'override', 'rejected'.");
		check(delete("/logim/override"), 404);
		assertThat(this.registry.overrides().inForce()).isEmpty();
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '`', delimiter = '|',
			value = { "kye=192.0.2.77 | kye | Did you mean 'key'? Known: 'key', 'plan', 'version'.",
					"ip=192.0.2.77 | ip | Known: 'key', 'plan', 'version'.",
					"key=a&b | b | Known: 'key', 'plan', 'version'." })
	void noMistypedParameterMakesAChangeOfOneKeyOneOfAll(String query, String parameter, String action) {
		check(post(LOGIN, TEN), 201);
		for (RestTestClient.ResponseSpec answer : List.of(post(LOGIN + "?" + query, "{\"mode\": \"shadow\"}"),
				delete(OVERRIDE + "?" + query))) {
			check(answer, 400, "$.detail", "The parameter '" + parameter + "' is not known.", "$.action", action);
		}
		check(delete(LOGIN + "?" + query), 400, "$.detail", "The parameter '" + parameter + "' is not known.",
				"$.action", action.replace(", 'plan', 'version'", ""));
		check(get(LOGIN + "?" + parameter + "=192.0.2.77"), 400, "$.detail", "The key is missing or empty.");
		assertThat(this.registry.overrides().inForce()).singleElement()
			.satisfies((each) -> assertThat(each.override().limits()).hasSize(1));
		check(post(LOGIN + "?_csrf=token", TEN), 200);
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '`', delimiter = '|', value = {
			"{\"limits\": [{\"limit\": 10, \"window\": 60}]} | $.limits[0].window | The member 'limits[0].window' with the value '60' has no unit. | Write 60s, if seconds are meant, or 60 with ms, m, h or d.",
			"{\"limits\": [{\"limit\": 10, \"window\": \"soon\"}]} | $.limits[0].window | The member 'limits[0].window' with the value 'soon' is not a duration. | Write a number with a unit",
			"{\"limits\": [{\"limit\": 10, \"window\": \"1m\"}, {\"limit\": 0, \"window\": \"1m\"}]} | $.limits[1].limit | The member 'limits[1].limit' with the value '0' | ",
			"{\"limits\": [{\"limit\": 10.5, \"window\": \"1m\"}]} | $.limits[0].limit | with the value '10.5' is not a whole number, or too large. | ",
			"{\"limits\": [{\"limit\": 1e400, \"window\": \"1m\"}]} | $.limits[0].limit | is not a whole number, or too large. | ",
			"{\"limits\": [{\"limit\": 10, \"window\": \"2m\", \"algorithm\": \"token-bucket\", \"countRejected\": true}]} | $.limits[0].countRejected | The member 'limits[0].count-rejected' with the value 'true' | ",
			"{\"limits\": [{\"limit\": 10}]} | $.limits[0].window | The member 'limits[0].window' is missing. | Set it to the duration",
			"{\"limits\": [{}]} | $.limits[0].limit | The member 'limits[0].limit' is missing. | ",
			"{\"limits\": [{\"limit\": 10, \"windw\": \"1m\"}]} | $.limits[0].windw | The member 'limits[0].windw' is not known. | Did you mean 'window'? Known: ",
			"{\"limt\": 10, \"window\": \"1m\"} | $.limt | The member 'limt' is not known. | Did you mean 'limit'?",
			"{\"unlimited\": true} | $.unlimited | The member 'unlimited' is not known. | ",
			"{\"limit\": 10} | $.window | The member 'window' is missing. | Set it to the duration",
			"{\"burst\": 10, \"window\": \"1m\"} | $.limit | The member 'limit' is missing. | Set it to the number",
			"{\"limit\": 10, \"limits\": [{\"limit\": 10, \"window\": \"1m\"}]} | $.limit | The member 'limit' with the value '10' is a number of the policy's only limit, but the policy has the list 'limits' too. | Write a single limit directly",
			"{\"algorithm\": \"sliding-window-log\", \"limit\": 100000000, \"window\": \"1d\"} | $.limit | The member 'limit' with the value '100000000' | ",
			"{\"limits\": [{\"limit\": 10, \"window\": \"1m\", \"limit\": 20}]} | $ | The override is not valid JSON, at line 1, column | ",
			"{\"limits\": [{\"countRejected\": true, \"count-rejected\": true}]} | $.limits[0].count-rejected | is there twice. | ",
			"{\"limits\": [{\"algorithm\": \"token-buket\", \"limit\": 10, \"window\": \"1m\"}]} | $.limits[0].algorithm | is not a known value. | Did you mean 'token-bucket'?",
			"{\"limits\": {\"limit\": 10}} | $.limits | is not a list. | Write a list",
			"{\"limits\": 10} | $.limits | is not a list. | Write a list",
			"{\"limits\": [10]} | $.limits[0] | is not an object. | ",
			"{\"limits\": [null]} | $.limits[0] | is not an object. | ",
			"{\"limits\": [[]]} | $.limits[0] | is not an object. | ",
			"{\"limits\": [{\"limit\": {}}]} | $.limits[0].limit | is not a single value. | ",
			"{\"limits\": [{\"limit\": 10, \"window\": \"2m\"}]} | $.limits[0].algorithm | The member 'limits[0].algorithm' is missing, and what is overridden has limits of several algorithms | Set it",
			"{\"limit\": 10, \"window\": \"1m\", \"zone\": \"\"} | $.zone | The member 'zone' has no value. | Send a value",
			"{\"limit\": 10, \"window\": \"1m\", \"burst\": \" \"} | $.burst | The member 'burst' has no value. | Send a value",
			"{\"mode\": \"\", \"limit\": 10, \"window\": \"1m\"} | $.mode | The member 'mode' has no value. | Send a value",
			"{\"mode\": 1} | $.mode | The member 'mode' with the value '1' is not a known value. | Known: 'enforce', 'inform', 'shadow'.",
			"{\"mode\": \"shadwo\"} | $.mode | The member 'mode' with the value 'shadwo' is not a known value. | Did you mean 'shadow'?",
			"{\"mode\": [\"shadow\"]} | $.mode | is not a single value. | ",
			"{\"mode\": \"shadow\", \"for\": \"0s\"} | $.for | The member 'for' | ",
			"{\"mode\": \"shadow\", \"for\": \"-2h\"} | $.for | The member 'for' | ",
			"{\"mode\": \"shadow\", \"for\": \"2\"} | $.for | has no unit. | ",
			"{\"mode\": \"shadow\", \"for\": \"soon\"} | $.for | The member 'for' with the value 'soon' is not a duration. | Write a number with a unit",
			"{\"limits\": [{\"algorithm\": \"sliding-window-log\", \"limit\": 100000000, \"window\": \"1d\"}]} | $.limits[0].limit | The member 'limits[0].limit' | ",
			"{\"limits\": [], \"reason\": \"none\"} | $.limits | has no entry, and there is no mode, so that the override would change nothing. | Give it at least one limit",
			"{} | $.limits | has no entry, and there is no mode | ", "[] | $ | The override is not a JSON object. | ",
			"10 | $ | The override is not a JSON object. | ", "`` | $ | The override is not a JSON object. | ",
			"null | $ | The override is not a JSON object. | ", "{\"mode\": | $ | The override is not valid JSON | ",
			"{\"mode\": \"shadow\"} {} | $ | The override is not valid JSON, at line 1, column 20: Trailing token | ",
			"{'mode': 'shadow'} | $ | The override is not valid JSON | ",
			"{\"mo\\u0000de\\u001b[31m\": 1} | $.mo?de?[31m | The member 'mo?de?[31m' is not known. | " })
	void mistakeIsToldAsAtStartUpAndChangesNothing(String body, String path, String detail, String action) {
		checkMistake(post(LOGIN, (body != null) ? body : ""), path, detail, action);
		assertThat(this.registry.overrides().inForce()).isEmpty();
	}

	@Test
	void singleLimitNeedsNoList() {
		check(post(LOGIN,
				"{\"limit\": 10, \"window\": \"1m\", \"algorithm\": \"fixed-window-counter\", \"for\": \"2h\"}"), 201,
				"$.limits", List.of(Map.of("algorithm", "fixed-window-counter", "limit", 10, "window", 60)));
	}

	@Test
	void noMoreLimitsAreTakenThanAtStartUp() {
		check(post(LOGIN, limits(17)), 400, "$.path", "$.limits", "$.detail",
				"The member 'limits' with the value '17 entries' is too long.", "$.action",
				"Use at most 16 limits, which is as many as are decided together.");
		assertThat(this.registry.overrides().inForce()).isEmpty();
		check(post(LOGIN, limits(16)), 201);
	}

	private static String limits(int count) {
		return IntStream.rangeClosed(1, count)
			.mapToObj((i) -> "{\"algorithm\": \"token-bucket\", \"limit\": " + i + ", \"window\": \"" + i + "m\"}")
			.collect(Collectors.joining(",", "{\"limits\":[", "]}"));
	}

	@Test
	void hostileBodiesAreAnsweredAndChangeNothing() {
		String deep = "[".repeat(30_000);
		check(post(LOGIN, "{\"limits\": " + deep), 400);
		check(post(LOGIN, "{\"limits\": [" + "{\"a\":".repeat(10_000)), 400);
		check(post(LOGIN, deep), 400);
		String many = IntStream.range(0, 5000)
			.mapToObj((i) -> "{\"limit\":1}")
			.collect(Collectors.joining(",", "{\"limits\":[", "]}"));
		assertThat(many).hasSizeLessThan(SentJson.MAX_LENGTH);
		check(post(LOGIN, many), 400, "$.detail", "The member 'limits' has more than 100 entries.");
		String million = "{\"limits\":[" + "{},".repeat(1_000_000) + "{}]}";
		check(post(LOGIN, million), 413, "Content-Type", "application/problem+json", "$.title", "Invalid override",
				"$.detail", "The override is longer than 65536 bytes.", "$.action",
				"Send the limits, the mode, for and the reason only.");
		check(post(LOGIN, "{\"reason\":\"" + "x".repeat(SentJson.MAX_LENGTH) + "\"}"), 413);
		check(post(LOGIN, "{\"mode\":\"shadow\",\"reason\":\"" + "x".repeat(501) + "\"}"), 400, "$.path", "$.reason");
		check(post(LOGIN, "{\"" + "limits".repeat(10_000) + "\": 1}"), 400);
		check(post(LOGIN, "{\"limits\": [{\"limit\": " + "9".repeat(10_000) + "}]}"), 400);
		check(post(LOGIN, new byte[] { '{', '"', (byte) 0xC3, '"', '}' }), 400);
		check(post(LOGIN, TEN, MediaType.TEXT_PLAIN), 415);
		assertThat(this.registry.overrides().inForce()).isEmpty();
		assertThat(this.audit.events).isEmpty();
	}

	@Test
	void placeholdersAndExpressionsAreTexts() {
		check(post(LOGIN, "{\"mode\": \"${ratelimit.mode:shadow}\"}"), 400);
		check(post(LOGIN, "{\"mode\": \"shadow\", \"reason\": \"${java.home} #{1}\"}"), 201, "$.reason",
				"${java.home} #{1}");
	}

	@Test
	void policyIsTriedInShadow() {
		check(post(LOGIN, "{\"mode\": \"shadow\"}"), 201);
		for (int i = 0; i < 5; i++) {
			check(ask("/login"), 200, "RateLimit-Policy", null);
		}
		get("").expectBody()
			.jsonPath("$.policies.login.shadow.requests.rejected")
			.value(Integer.class, (rejected) -> assertThat(rejected).isGreaterThanOrEqualTo(3));
	}

	@Test
	void otherRequestsOfTheEndpointAreAsTheyWere() {
		check(get(LOGIN + "?key=192.0.2.1"), 200);
		check(get(LOGIN), 400);
		check(delete(LOGIN + "?key=192.0.2.1"), 204);
		check(this.client.method(HttpMethod.PUT).uri("/actuator/ratelimits" + LOGIN).exchange(), 405);
	}

	@Test
	void overrideOfCodeIsShownAlike() {
		this.registry.overrides()
			.put(RateLimitOverride.of("queue").mode(RateLimitMode.SHADOW).who("night watch").build());
		check(get("/queue/override"), 200, "$.who", "night watch", "$.mode", "shadow", "$.defined.mode", "enforce");
	}

	private RestTestClient.ResponseSpec post(String uri, String body, String tag) {
		return this.client.post()
			.uri("/actuator/ratelimits" + uri)
			.contentType(MediaType.APPLICATION_JSON)
			.header(HttpHeaders.IF_MATCH, tag)
			.body(body)
			.exchange();
	}

	private static String tag(RestTestClient.ResponseSpec response) {
		return response.expectStatus()
			.is2xxSuccessful()
			.returnResult(byte[].class)
			.getResponseHeaders()
			.getFirst(HttpHeaders.ETAG);
	}

	static class Audit {

		final List<AuditEvent> events = new ArrayList<>();

		@EventListener
		void onEvent(AuditApplicationEvent event) {
			this.events.add(event.getAuditEvent());
		}

	}

}
