package io.github.ratelimit.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.test.json.JsonCompareMode;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

@ActuatorTest
class RateLimitsEndpointTests {

	@Autowired
	private RestTestClient client;

	@Autowired
	private RateLimiterRegistry limiter;

	@Autowired
	private LocalRateLimitStore store;

	@Autowired
	private ManualClock clock;

	@AfterEach
	void forgetEverything() {
		this.clock.advance(Duration.ofDays(1));
		this.store.forgetIdle();
	}

	@Test
	void showsEveryPolicyWithItsNumbersAndWhereItIsApplied() {
		Answers.check(this.client.get().uri("/actuator/ratelimits").exchange(), 200, "$.store", "caffeine",
				"$.policies.length()", 3, "$.policies.login.key", "clientAddress", "$.policies.login.appliedTo",
				List.of(Map.of("place", "rule GET /login")), "$.policies['SearchController.search'].key",
				"header('X-Api-Key')", "$.policies['SearchController.search'].appliedTo",
				List.of(Map.of("place", "SearchController.search()")), "$.policies.queue.appliedTo",
				List.of(Map.of("place", "SearchController.queue()")), "$.policies.login.alias", "p1");
	}

	@Test
	void showsOnlyTheNumbersThatAnAlgorithmUses() {
		assertThat(get("/actuator/ratelimits")).contains("""
				"limits":[{"algorithm":"sliding-window-log","limit":2,"window":60,"countRejected":false},\
				{"algorithm":"token-bucket","limit":10,"window":3600,"burst":5}]""").contains("""
				"limits":[{"algorithm":"leaky-bucket","limit":1000,"window":1,"burst":1000,"delay":0,\
				"nodelay":false}]""");
	}

	@Test
	void countsWhatBecameOfRealRequestsWithoutTellingWhoseTheyWere() {
		RateLimiter search = this.limiter.policy("SearchController.search");
		long allowed = search.count(RateLimitOutcome.ALLOWED);
		long rejected = search.count(RateLimitOutcome.REJECTED);
		for (int i = 0; i < 3; i++) {
			this.client.get().uri("/search").header("X-Api-Key", "s3cret").exchange();
		}
		assertThat(get("/actuator/ratelimits"))
			.contains("\"requests\":{\"allowed\":" + (allowed + 2)
					+ ",\"banned\":0,\"delayed\":0,\"queue_full\":0,\"rejected\":" + (rejected + 1)
					+ ",\"returned\":0,\"unavailable\":0}")
			.doesNotContain("s3cret", "127.0.0.1");
	}

	@Test
	void showsHowAKeyStandsWithEachLimitAndWithAllOfThem() {
		Answers.check(this.client.get().uri("/login").exchange(), 200);
		assertThat(get("/actuator/ratelimits/login?key=127.0.0.1")).isEqualTo("""
				{"policy":"login","key":"127.0.0.1",\
				"standing":{"remaining":1,"nextPermitAfter":60,"resetAfter":360},\
				"limits":[{"limit":{"algorithm":"sliding-window-log","limit":2,"window":60,"countRejected":false},\
				"standing":{"remaining":1,"nextPermitAfter":60,"resetAfter":60}},\
				{"limit":{"algorithm":"token-bucket","limit":10,"window":3600,"burst":5},\
				"standing":{"remaining":4,"nextPermitAfter":360,"resetAfter":360}}]}""");
	}

	@Test
	void lookingAtAKeyChangesNothing() {
		long keys = this.limiter.policy("login").keys();
		String before = get("/actuator/ratelimits");
		assertThat(get("/actuator/ratelimits/login?key=nobody")).isEqualTo(get("/actuator/ratelimits/login?key=nobody"))
			.contains("\"remaining\":2");
		assertThat(this.limiter.policy("login").keys()).isEqualTo(keys);
		assertThat(get("/actuator/ratelimits")).isEqualTo(before);
	}

	@Test
	void resetGivesAKeyAllItsPermits() {
		for (int status : new int[] { 200, 200, 429 }) {
			Answers.check(this.client.get().uri("/login").exchange(), status);
		}
		Answers.check(this.client.delete().uri("/actuator/ratelimits/login?key=127.0.0.1").exchange(), 204);
		assertThat(get("/actuator/ratelimits/login?key=127.0.0.1")).contains("\"remaining\":2");
		Answers.check(this.client.get().uri("/login").exchange(), 200);
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET", "DELETE" })
	void policyThatDoesNotExistIsNotFoundAndTheNearestIsNamed(String method) {
		this.client.method(HttpMethod.valueOf(method))
			.uri("/actuator/ratelimits/lgoin?key=127.0.0.1")
			.exchange()
			.expectStatus()
			.isNotFound()
			.expectBody()
			.json("""
					{"message":"There is no rate limit policy named 'lgoin'. Did you mean 'login'?",
					"policies":["SearchController.search","login","queue"]}""", JsonCompareMode.STRICT);
	}

	@ParameterizedTest
	@CsvSource({ "GET, ''", "DELETE, ''", "GET, ?key=", "DELETE, ?key=" })
	void policyThatDoesNotExistIsNotFoundWithoutAKeyEither(String method, String query) {
		Answers.check(
				this.client.method(HttpMethod.valueOf(method)).uri("/actuator/ratelimits/lgoin" + query).exchange(),
				404, "$.message", "There is no rate limit policy named 'lgoin'. Did you mean 'login'?");
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET", "DELETE" })
	void keyThatIsMissingOrEmptyIsABadRequest(String method) {
		for (String query : List.of("", "?key=", "?kee=127.0.0.1")) {
			Answers.check(
					this.client.method(HttpMethod.valueOf(method)).uri("/actuator/ratelimits/login" + query).exchange(),
					400);
		}
	}

	@ParameterizedTest
	@CsvSource({ "GET, '', 200", "GET, /login?key=a, 200", "GET, /login, 400", "GET, /lgoin, 404",
			"DELETE, /login?key=a, 204", "GET, /login/history, 200", "GET, /login/override, 404",
			"DELETE, /login/override, 404", "POST, /login, 400", "POST, /simulate, 400" })
	void noAnswerIsStored(String method, String path, int status) {
		Answers.check(this.client.method(HttpMethod.valueOf(method))
			.uri("/actuator/ratelimits" + path)
			.contentType(MediaType.APPLICATION_JSON)
			.exchange(), status, HttpHeaders.CACHE_CONTROL, "no-store");
	}

	private String get(String uri) {
		return this.client.get().uri(uri).exchange().expectStatus().isOk().returnResult(String.class).getResponseBody();
	}

}
