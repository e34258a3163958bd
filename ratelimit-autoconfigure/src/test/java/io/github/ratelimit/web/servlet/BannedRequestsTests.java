package io.github.ratelimit.web.servlet;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Bans that properties ask for, over HTTP.
 */
@ExtendWith(OutputCaptureExtension.class)
class BannedRequestsTests {

	private static final String BAN = """
			{"type":"https://iana.org/assignments/http-problem-types#abnormal-usage-detected",\
			"title":"Request not satisfied due to detection of abnormal request pattern",\
			"status":429,"violated-policies":[%s]}""";

	private static final String[] PROPERTIES = {
			"login: 1 per 1m; algorithm=fixed-window-counter; ban.after=3; ban.within=10m; ban.for=5m",
			"ratelimit.policies.login.ban.multiplier=2", "ratelimit.policies.login.ban.max=24h",
			"two.limits[0]: 1 per 1m", "two.limits[1]: 9 per 1h", "ratelimit.policies.two.ban.after=1",
			"[Handlers.annotated]: 1 per 1m; ban.after=1; ban.multiplier=1.5", "/ruled -> login",
			"/ruled/fail -> login", "/page/two -> two", "management.endpoints.web.exposure.include=ratelimits",
			"management.endpoint.ratelimits.access=unrestricted" };

	private static List<String> bans(TestServer server) {
		return server.bean(Listener.class).bans;
	}

	private static void assertBanned(Answer response, String seconds) {
		response.is(429, "Content-Type: application/problem+json", "Retry-After: " + seconds,
				"X-RateLimit-Retry-After: " + seconds, "RateLimit-Policy: \"login\";q=1;w=60",
				"RateLimit: \"login\";r=0;t=" + seconds, "X-RateLimit-Remaining: 0");
		assertThat(response.body()).isEqualTo(BAN.formatted("\"login\""));
	}

	private static void assertRejected(Answer response) {
		assertThat(response.is(429).body()).contains("#quota-exceeded");
	}

	@Test
	void aKeyThatDoesNotStopIsBannedForLongerEachTimeAndToldSo() {
		try (TestServer server = TestServer.start(Listener.class, PROPERTIES)) {
			server.get("/ruled").is(200);
			server.clock().advance(Duration.ofSeconds(1));
			assertRejected(server.get("/ruled"));
			server.clock().advance(Duration.ofSeconds(1));
			assertRejected(server.get("/ruled"));
			server.clock().advance(Duration.ofSeconds(1));
			assertBanned(server.get("/ruled"), "300");
			server.clock().advance(Duration.ofSeconds(97));
			assertBanned(server.get("/ruled"), "203");
			server.clock().advance(Duration.ofMillis(202_999));
			assertBanned(server.get("/ruled"), "1");
			server.clock().advance(Duration.ofMillis(1));
			server.get("/ruled").is(200);
			assertRejected(server.get("/ruled"));
			assertRejected(server.get("/ruled"));
			assertBanned(server.get("/ruled"), "600");
			assertThat(server.limiter().policy("login").count(RateLimitOutcome.BANNED)).isEqualTo(4);
			assertThat(server.limiter().policy("login").count(RateLimitOutcome.REJECTED)).isEqualTo(4);
		}
	}

	@Test
	void aBanIsLoggedAndToldOnceAndCountedAndShownAndLiftedByAReset(CapturedOutput output) {
		try (TestServer server = TestServer.startWithNeighbours(Listener.class,
				with("logging.level.io.github.ratelimit=info"))) {
			Instant begin = Instant.EPOCH.plusNanos(server.clock().nanos());
			for (int i = 0; i < 6; i++) {
				server.get("/ruled");
			}
			assertThat(bans(server)).containsExactly("login 127.0.0.1 " + begin.plusSeconds(300) + " 1");
			assertThat(output.getOut()).containsOnlyOnce("The rate limit policy 'login' bans the key with the hash ")
				.containsOnlyOnce(" for 5 min, its ban number 1");
			assertThat(server.bean(MeterRegistry.class)
				.get("ratelimit.requests")
				.tags("policy", "login", "outcome", "banned", "mode", "enforce")
				.functionCounter()
				.count()).isEqualTo(3);
			String policies = server.get("/actuator/ratelimits").body();
			assertThat(policies).contains(
					"\"ban\":{\"after\":3,\"within\":600,\"duration\":300,\"multiplier\":2.0,\"max\":86400}",
					"\"banned\":3");
			server.clock().advance(Duration.ofSeconds(100));
			String key = "/actuator/ratelimits/login?key=127.0.0.1";
			assertThat(server.get(key).body()).contains("\"banned\":true", "\"remaining\":0",
					"\"nextPermitAfter\":200");
			server.send("DELETE", key, "").is(204);
			assertThat(server.get(key).body()).contains("\"banned\":false", "\"remaining\":1");
			server.get("/ruled").is(200);
			assertRejected(server.get("/ruled"));
			assertRejected(server.get("/ruled"));
			assertBanned(server.get("/ruled"), "300");
			assertThat(bans(server)).hasSize(2).last().asString().endsWith(" 1");
		}
	}

	@Test
	void theFieldsOfABanHaveEveryLimitOfThePolicyAndSoDoesTheEndpoint() {
		try (TestServer server = TestServer.startWithNeighbours(Listener.class, PROPERTIES)) {
			server.get("/page/two").is(200);
			Answer banned = server.get("/page/two");
			assertThat(banned.body()).isEqualTo(BAN.formatted("\"two-1m\",\"two-1h\""));
			assertThat(banned.all("RateLimit-Policy")).containsExactly("\"two-1m\";q=1;w=60, \"two-1h\";q=9;w=3600");
			assertThat(banned.all("RateLimit")).containsExactly("\"two-1m\";r=0;t=300, \"two-1h\";r=0;t=300");
			assertThat(server.get("/actuator/ratelimits/two?key=127.0.0.1").body()).contains("\"window\":60",
					"\"window\":3600");
		}
	}

	@Test
	void aConfiguredPolicyBansWhereAnAnnotationNamesIt() {
		try (TestServer server = TestServer.start(Listener.class, PROPERTIES)) {
			server.get("/annotated").is(200);
			assertThat(server.get("/annotated").body()).isEqualTo(BAN.formatted("\"Handlers.annotated\""));
			RateLimitBan ban = server.limiter().policy("Handlers.annotated").policy().ban();
			assertThat(ban).isEqualTo(RateLimitBan.builder().after(1).multiplier(1.5).build());
		}
	}

	@Test
	void aPageSaysThatTheClientIsBanned() {
		try (TestServer server = TestServer.start(Listener.class, with("spring.web.error.include-message=always"))) {
			server.get("/page/two");
			Answer banned = server.get("/page/two", "Accept", "text/html").is(429, "Retry-After: 300");
			assertThat(banned.body()).contains("Request not satisfied due to detection of abnormal request pattern");
		}
	}

	@Test
	void inShadowNobodyIsBannedAndWhoWouldBeIsCounted(CapturedOutput output) {
		try (TestServer server = TestServer.startWithNeighbours(Listener.class,
				with("ratelimit.policies.login.mode=shadow"))) {
			for (int i = 0; i < 6; i++) {
				server.get("/ruled").is(200, "RateLimit:");
			}
			assertThat(bans(server)).isEmpty();
			assertThat(output.getOut()).doesNotContain("bans the key");
			assertThat(server.limiter().policy("login").count(RateLimitOutcome.REJECTED)).isEqualTo(2);
			assertThat(server.limiter().policy("login").count(RateLimitOutcome.BANNED)).isEqualTo(3);
		}
	}

	@Test
	void withChargeItIsRejectionsThatCount() {
		try (TestServer server = TestServer.start(Listener.class,
				with("ratelimit.policies.login.charge=status >= 400"))) {
			for (int i = 0; i < 20; i++) {
				server.get("/ruled").is(200);
			}
			server.get("/ruled/fail").is(500);
			assertRejected(server.get("/ruled"));
			assertRejected(server.get("/ruled"));
			assertBanned(server.get("/ruled"), "300");
		}
	}

	@ParameterizedTest
	@CsvSource({ "login, two", "two, login" })
	void ofSeveralPoliciesOnlyTheFirstThatRejectsCountsForABan(String first, String second) {
		try (TestServer server = TestServer.start(Listener.class,
				with("/page/both -> " + first, "/page/both -> " + second))) {
			for (int i = 0; i < 10; i++) {
				server.get("/page/both");
			}
			assertThat(bans(server)).singleElement().asString().startsWith(first);
			assertThat(server.limiter().policy(second).count(RateLimitOutcome.REJECTED)).isZero();
		}
	}

	private static String[] with(String... more) {
		return TestServer.with(PROPERTIES, more);
	}

	@Import(Handlers.class)
	static class Listener implements RateLimitListener {

		private final List<String> bans = new ArrayList<>();

		@Override
		public void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision,
				RateLimitOutcome outcome) {
		}

		@Override
		public void onBan(RateLimitPolicy policy, String key, Instant until, int times) {
			this.bans.add(policy.name() + " " + key + " " + until + " " + times);
		}

	}

}
