package io.github.ratelimit.integration.suite;

import java.time.Duration;

import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a client is told that does not stop: it is banned for longer each time.
 */
@Tag("stack")
class BannedRequestsTests {

	private static final String BAN = """
			{"type":"https://iana.org/assignments/http-problem-types#abnormal-usage-detected",\
			"title":"Request not satisfied due to detection of abnormal request pattern",\
			"status":429,"violated-policies":[%s]}""";

	private static final String BANS = "1 per 1m; algorithm=fixed-window-counter; ban.after=3; ban.within=10m; "
			+ "ban.for=5m; ban.multiplier=2; ban.max=24h";

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.startWithNeighbours(Handlers.class, "login: " + BANS,
				"charged: " + BANS + "; charge=status >= 400", "two.limits[0]: 1 per 1m", "two.limits[1]: 9 per 1h",
				"ratelimit.policies.two.ban.after=1", "[Handlers.annotated]: 1 per 1m; ban.after=1; ban.multiplier=1.5",
				"/ruled -> login", "/users/charged -> charged", "/fail -> charged", "/page/two -> two",
				"/page/login-first -> login", "/page/login-first -> two", "/page/two-first -> two",
				"/page/two-first -> login", "spring.web.error.include-message=always",
				"management.endpoints.web.exposure.include=ratelimits",
				"management.endpoint.ratelimits.access=unrestricted");
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@Test
	void aKeyThatDoesNotStopIsBannedForLongerEachTimeAndToldSo() {
		server.get("/ruled").is(200);
		server.clock().advance(Duration.ofSeconds(1));
		assertRejected("/ruled");
		server.clock().advance(Duration.ofSeconds(1));
		assertRejected("/ruled");
		server.clock().advance(Duration.ofSeconds(1));
		assertBanned("/ruled", "login", "300");
		server.clock().advance(Duration.ofSeconds(97));
		assertBanned("/ruled", "login", "203");
		server.clock().advance(Duration.ofMillis(202_999));
		assertBanned("/ruled", "login", "1");
		server.clock().advance(Duration.ofMillis(1));
		server.get("/ruled").is(200);
		assertRejected("/ruled");
		assertRejected("/ruled");
		assertBanned("/ruled", "login", "600");
	}

	@Test
	void aBanIsShownAndLiftedByAReset() {
		long before = server.limiter().policy("login").count(RateLimitOutcome.BANNED);
		for (int i = 0; i < 6; i++) {
			server.get("/ruled");
		}
		assertThat(server.get("/actuator/ratelimits").body()).contains(
				"\"ban\":{\"after\":3,\"within\":600,\"duration\":300,\"multiplier\":2.0,\"max\":86400}",
				"\"banned\":" + (before + 3));
		server.clock().advance(Duration.ofSeconds(100));
		String key = "/actuator/ratelimits/login?key=127.0.0.1";
		assertThat(server.get(key).body()).contains("\"banned\":true", "\"remaining\":0", "\"nextPermitAfter\":200");
		server.send("DELETE", key, "").is(204);
		assertThat(server.get(key).body()).contains("\"banned\":false", "\"remaining\":1");
		server.get("/ruled").is(200);
		assertRejected("/ruled");
		assertRejected("/ruled");
		assertBanned("/ruled", "login", "300");
	}

	@Test
	void theFieldsOfABanHaveEveryLimitOfThePolicyAndSoDoesTheEndpoint() {
		server.get("/page/two").is(200);
		Answer banned = server.get("/page/two");
		banned.is(429, "RateLimit-Policy: \"two-1m\";q=1;w=60, \"two-1h\";q=9;w=3600",
				"RateLimit: \"two-1m\";r=0;t=300, \"two-1h\";r=0;t=300");
		assertThat(banned.body()).isEqualTo(BAN.formatted("\"two-1m\",\"two-1h\""));
		assertThat(server.get("/actuator/ratelimits/two?key=127.0.0.1").body()).contains("\"window\":60",
				"\"window\":3600");
		Answer page = server.get("/page/two", "Accept", "text/html").is(429, "Retry-After: 300");
		assertThat(page.body()).contains("Request not satisfied due to detection of abnormal request pattern");
	}

	@Test
	void aConfiguredPolicyBansWhereAnAnnotationNamesIt() {
		server.get("/annotated").is(200);
		assertThat(server.get("/annotated").body()).isEqualTo(BAN.formatted("\"Handlers.annotated\""));
		RateLimitBan ban = server.limiter().policy("Handlers.annotated").policy().ban();
		assertThat(ban)
			.isEqualTo(new RateLimitBan(1, Duration.ofMinutes(10), Duration.ofMinutes(5), 1.5, Duration.ofDays(1)));
	}

	@Test
	void withChargeItIsRejectionsThatCount() {
		for (int i = 0; i < 20; i++) {
			server.get("/users/charged").is(200);
			server.awaitSettled("charged");
		}
		server.get("/fail").is(500);
		server.awaitSettled("charged");
		assertRejected("/users/charged");
		assertRejected("/users/charged");
		assertBanned("/users/charged", "charged", "300");
	}

	@ParameterizedTest
	@CsvSource({ "login, two", "two, login" })
	void ofSeveralPoliciesOnlyTheFirstThatRejectsCountsForABan(String first, String second) {
		long before = server.limiter().policy(second).count(RateLimitOutcome.REJECTED);
		for (int i = 0; i < 10; i++) {
			server.get("/page/" + first + "-first");
		}
		assertThat(server.limiter().peek(first, "127.0.0.1").banned()).isTrue();
		assertThat(server.limiter().peek(second, "127.0.0.1").banned()).isFalse();
		assertThat(server.limiter().policy(second).count(RateLimitOutcome.REJECTED)).isEqualTo(before);
	}

	private static void assertRejected(String path) {
		assertThat(server.get(path).is(429).body()).contains("#quota-exceeded");
	}

	private static void assertBanned(String path, String policy, String seconds) {
		Answer response = server.get(path);
		response.is(429, "Content-Type: application/problem+json", "Retry-After: " + seconds,
				"X-RateLimit-Retry-After: " + seconds, "RateLimit-Policy: \"" + policy + "\";q=1;w=60",
				"RateLimit: \"" + policy + "\";r=0;t=" + seconds, "X-RateLimit-Remaining: 0");
		assertThat(response.body()).isEqualTo(BAN.formatted("\"" + policy + "\""));
	}

}
