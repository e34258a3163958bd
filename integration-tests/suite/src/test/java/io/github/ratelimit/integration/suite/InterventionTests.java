package io.github.ratelimit.integration.suite;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import io.github.ratelimit.RateLimitInterventions;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a client is told whom operators have banned, exempted or denied by hand.
 */
@Tag("stack")
class InterventionTests {

	private static final String DENIED = "{\"title\":\"Forbidden\",\"status\":403,"
			+ "\"detail\":\"Requests of this client are denied\"}";

	private static final String ENDPOINT = "/actuator/ratelimits";

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.startWithNeighbours(Handlers.class,
				"ratelimit.client-address.trusted-proxies=127.0.0.0/8,::1",
				"api: 1 per 1h; algorithm=fixed-window-counter",
				"all: 1 per 1h; key='all'; algorithm=fixed-window-counter", "/ruled -> api", "/page/all -> all",
				"/page/both -> api", "/page/both -> all", "ratelimit.deny.addresses=198.51.100.0/24, 2001:db8:6::1",
				"ratelimit.exempt.addresses=203.0.113.7,198.51.100.9", "ratelimit.deny.keys.api=192.0.2.66",
				"ratelimit.exempt.keys.api=192.0.2.77", "management.endpoints.web.exposure.include=ratelimits",
				"management.endpoint.ratelimits.access=unrestricted");
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@AfterEach
	void endAll() {
		RateLimitInterventions interventions = server.limiter().interventions();
		interventions.inForce()
			.stream()
			.filter((each) -> !each.configured())
			.forEach((each) -> interventions.remove(each.intervention().target()));
	}

	private static Answer get(String client, String path, String... headers) {
		return server.get(path, TestServer.with(headers, "X-Forwarded-For", client));
	}

	private static Answer post(String path, String json) {
		return server.send("POST", ENDPOINT + path, json, "Content-Type", "application/json");
	}

	private static void assertDenied(Answer answer) {
		answer.is(403, "Content-Type: application/problem+json");
		assertThat(answer.body()).isEqualTo(DENIED);
		assertThat(answer.toString()).doesNotContain("Retry-After", "RateLimit");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ruled", "/free", "/annotated", "/nowhere", "/service", ENDPOINT, "/page/both" })
	void aDeniedAddressGetsNothing(String path) {
		long before = server.limiter().interventions().requests(Kind.DENY);
		assertDenied(get("198.51.100.9", path));
		assertDenied(get("198.51.100.10", path, "Accept", "text/html"));
		assertDenied(get("[2001:db8:6::abcd]:4711", path));
		assertThat(server.limiter().interventions().requests(Kind.DENY)).isEqualTo(before + 3);
		assertThat(get("198.51.101.1", path).status()).isNotEqualTo(403);
		assertThat(get("2001:db8:6:1::1", path).status()).isNotEqualTo(403);
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS" })
	void itIsDeniedWhateverTheMethodIs(String method) {
		server
			.send(method, "/ruled", method.equals("GET") ? "" : "a=b", "X-Forwarded-For", "198.51.100.9",
					"Content-Type", "application/x-www-form-urlencoded")
			.is(403);
	}

	@Test
	void anExemptAddressPassesEveryPolicyAndNothingOfItIsCounted() {
		long allowed = server.limiter().policy("api").count(RateLimitOutcome.ALLOWED);
		long before = server.limiter().interventions().requests(Kind.EXEMPT);
		for (int i = 0; i < 3; i++) {
			for (String path : List.of("/ruled", "/annotated", "/page/all", "/page/both")) {
				assertThat(get("203.0.113.7", path).is(200).toString()).doesNotContain("RateLimit");
			}
		}
		assertThat(server.limiter().interventions().requests(Kind.EXEMPT)).isEqualTo(before + 12);
		assertThat(server.limiter().policy("api").count(RateLimitOutcome.ALLOWED)).isEqualTo(allowed);
		get("203.0.113.8", "/page/all").is(200);
		get("203.0.113.8", "/page/all").is(429);
	}

	@Test
	void aDeniedKeyIsRejectedWhereItsPolicyDecides() {
		assertDenied(get("192.0.2.66", "/ruled"));
		get("192.0.2.66", "/free").is(200);
		get("192.0.2.66", "/page/all").is(200);
		assertThat(get("192.0.2.66", "/ruled", "Accept", "text/html").is(403).body()).contains("html");
	}

	@Test
	void anExemptKeyPassesItsPolicyAndNoOther() {
		for (int i = 0; i < 3; i++) {
			get("192.0.2.77", "/ruled").is(200);
		}
		get("192.0.2.77", "/page/both").is(200);
		get("192.0.2.77", "/page/both").is(429);
	}

	@Test
	void aBanByHandIsToldAsABanOfThePolicyUntilItsEnd() {
		post("/api/ban?key=192.0.2.1", "{\"for\": \"2h\", \"reason\": \"scans\"}").is(200);
		Answer banned = get("192.0.2.1", "/ruled");
		banned.is(429, "Retry-After: 7200", "RateLimit: \"api\";r=0;t=7200", "Content-Type: application/problem+json");
		assertThat(banned.body()).contains("#abnormal-usage-detected", "\"violated-policies\":[\"api\"]");
		get("192.0.2.2", "/ruled").is(200);
		server.clock().advance(Duration.ofHours(2));
		get("192.0.2.1", "/ruled").is(200);
	}

	@Test
	void aBanOfOnePolicyTakesNothingFromTheOther() {
		server.limiter().interventions().put(RateLimitIntervention.ban("all", "all", Duration.ofHours(1), null));
		get("192.0.2.3", "/page/both").is(429);
		get("192.0.2.3", "/ruled").is(200);
	}

	@Test
	void anAddressIsDeniedAndExemptedOverHttpWhileTheServerRuns() {
		post("/deny", "{\"address\": \"192.0.2.128/25\", \"reason\": \"scans\"}").is(200);
		assertDenied(get("192.0.2.200", "/free"));
		get("192.0.2.100", "/free").is(200);
		server.send("DELETE", ENDPOINT + "/deny?address=192.0.2.128/25", "").is(204);
		get("192.0.2.200", "/free").is(200);
		post("/exempt", "{\"policy\": \"all\", \"key\": \"all\"}").is(200);
		for (int i = 0; i < 3; i++) {
			get("192.0.2.4", "/page/all").is(200);
		}
		server.send("DELETE", ENDPOINT + "/exempt?policy=all&key=all", "").is(204);
		get("192.0.2.4", "/page/all").is(200);
		get("192.0.2.4", "/page/all").is(429);
	}

	@Test
	void theConnectionsOwnAddressCountsUnlessAProxyIsTrusted() {
		Target target = Target.ofAddress(Kind.DENY, "127.0.0.1");
		server.limiter().interventions().put(new RateLimitIntervention(target, null, null, null));
		get("192.0.2.5", "/free").is(200);
		assertDenied(server.get("/free"));
	}

}
