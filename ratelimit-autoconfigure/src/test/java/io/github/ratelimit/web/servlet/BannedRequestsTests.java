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
import io.github.ratelimit.annotation.RateLimited;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

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
			"[Handler.named]: 1 per 1m; ban.after=1; ban.multiplier=1.5", "/login -> login", "/two -> two",
			"management.endpoints.web.exposure.include=ratelimits",
			"management.endpoint.ratelimits.access=unrestricted" };

	private static List<String> bans(TestServer server) {
		return server.bean(Listener.class).bans;
	}

	private static void assertBanned(Answer response, String seconds) {
		response.is(429, "Content-Type: application/problem+json");
		assertThat(response.body()).isEqualTo(BAN.formatted("\"login\""));
		assertThat(response.all("Retry-After")).containsExactly(seconds);
		assertThat(response.all("X-RateLimit-Retry-After")).containsExactly(seconds);
		assertThat(response.all("RateLimit-Policy")).containsExactly("\"login\";q=1;w=60");
		assertThat(response.all("RateLimit")).containsExactly("\"login\";r=0;t=" + seconds);
		assertThat(response.all("X-RateLimit-Remaining")).containsExactly("0");
	}

	private static void assertAllowed(Answer response) {
		response.is(200);
	}

	private static void assertRejected(Answer response) {
		response.is(429);
		assertThat(response.body()).contains("#quota-exceeded");
	}

	@Test
	void aKeyThatDoesNotStopIsBannedForLongerEachTimeAndToldSo() {
		try (TestServer server = TestServer.start(Handler.class, PROPERTIES)) {
			assertAllowed(server.get("/login"));
			server.clock().advance(Duration.ofSeconds(1));
			assertRejected(server.get("/login"));
			server.clock().advance(Duration.ofSeconds(1));
			assertRejected(server.get("/login"));
			server.clock().advance(Duration.ofSeconds(1));
			assertBanned(server.get("/login"), "300");
			server.clock().advance(Duration.ofSeconds(97));
			assertBanned(server.get("/login"), "203");
			server.clock().advance(Duration.ofMillis(202_999));
			assertBanned(server.get("/login"), "1");
			server.clock().advance(Duration.ofMillis(1));
			assertAllowed(server.get("/login"));
			assertRejected(server.get("/login"));
			assertRejected(server.get("/login"));
			assertBanned(server.get("/login"), "600");
			assertThat(server.limiter().policy("login").count(RateLimitOutcome.BANNED)).isEqualTo(4);
			assertThat(server.limiter().policy("login").count(RateLimitOutcome.REJECTED)).isEqualTo(4);
		}
	}

	@Test
	void aBanIsLoggedAndToldOnceAndCountedAndShownAndLiftedByAReset(CapturedOutput output) {
		try (TestServer server = TestServer.startWithNeighbours(Handler.class,
				with("logging.level.io.github.ratelimit=info"))) {
			Instant begin = Instant.EPOCH.plusNanos(server.clock().nanos());
			for (int i = 0; i < 6; i++) {
				server.get("/login");
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
			assertAllowed(server.get("/login"));
			assertRejected(server.get("/login"));
			assertRejected(server.get("/login"));
			assertBanned(server.get("/login"), "300");
			assertThat(bans(server)).hasSize(2).last().asString().endsWith(" 1");
		}
	}

	@Test
	void theFieldsOfABanHaveEveryLimitOfThePolicyAndSoDoesTheEndpoint() {
		try (TestServer server = TestServer.startWithNeighbours(Handler.class, PROPERTIES)) {
			assertAllowed(server.get("/two"));
			Answer banned = server.get("/two");
			assertThat(banned.body()).isEqualTo(BAN.formatted("\"two-1m\",\"two-1h\""));
			assertThat(banned.all("RateLimit-Policy")).containsExactly("\"two-1m\";q=1;w=60, \"two-1h\";q=9;w=3600");
			assertThat(banned.all("RateLimit")).containsExactly("\"two-1m\";r=0;t=300, \"two-1h\";r=0;t=300");
			assertThat(server.get("/actuator/ratelimits/two?key=127.0.0.1").body()).contains("\"window\":60",
					"\"window\":3600");
		}
	}

	@Test
	void aConfiguredPolicyBansWhereAnAnnotationNamesIt() {
		try (TestServer server = TestServer.start(Handler.class, PROPERTIES)) {
			assertAllowed(server.get("/named"));
			assertThat(server.get("/named").body()).isEqualTo(BAN.formatted("\"Handler.named\""));
			RateLimitBan ban = server.limiter().policy("Handler.named").policy().ban();
			assertThat(ban).isEqualTo(RateLimitBan.builder().after(1).multiplier(1.5).build());
		}
	}

	@Test
	void aPageSaysThatTheClientIsBanned() {
		try (TestServer server = TestServer.start(Handler.class, with("spring.web.error.include-message=always"))) {
			server.get("/two");
			Answer banned = server.get("/two", "Accept", "text/html");
			banned.is(429, "Retry-After: 300");
			assertThat(banned.body()).contains("Request not satisfied due to detection of abnormal request pattern");
		}
	}

	@Test
	void inShadowNobodyIsBannedAndWhoWouldBeIsCounted(CapturedOutput output) {
		try (TestServer server = TestServer.startWithNeighbours(Handler.class,
				with("ratelimit.policies.login.mode=shadow"))) {
			for (int i = 0; i < 6; i++) {
				Answer response = server.get("/login");
				assertAllowed(response);
				assertThat(response.field("RateLimit")).isNull();
			}
			assertThat(bans(server)).isEmpty();
			assertThat(output.getOut()).doesNotContain("bans the key");
			assertThat(server.limiter().policy("login").count(RateLimitOutcome.REJECTED)).isEqualTo(2);
			assertThat(server.limiter().policy("login").count(RateLimitOutcome.BANNED)).isEqualTo(3);
		}
	}

	@Test
	void withChargeItIsRejectionsThatCount() {
		try (TestServer server = TestServer.start(Handler.class,
				with("ratelimit.policies.login.charge=status >= 400"))) {
			for (int i = 0; i < 20; i++) {
				assertAllowed(server.get("/login"));
			}
			server.get("/login?fail=true").is(500);
			assertRejected(server.get("/login"));
			assertRejected(server.get("/login"));
			assertBanned(server.get("/login"), "300");
		}
	}

	@ParameterizedTest
	@CsvSource({ "login, two", "two, login" })
	void ofSeveralPoliciesOnlyTheFirstThatRejectsCountsForABan(String first, String second) {
		try (TestServer server = TestServer.start(Handler.class, with("/both -> " + first, "/both -> " + second))) {
			for (int i = 0; i < 10; i++) {
				server.get("/both");
			}
			assertThat(bans(server)).singleElement().asString().startsWith(first);
			assertThat(server.limiter().policy(second).count(RateLimitOutcome.REJECTED)).isZero();
		}
	}

	private static String[] with(String... more) {
		return TestServer.with(PROPERTIES, more);
	}

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

	@RestController
	static class Handler {

		@Bean
		static Listener bansOfClients() {
			return new Listener();
		}

		@GetMapping({ "/login", "/two", "/both" })
		String login(boolean fail) {
			if (fail) {
				throw new IllegalStateException("The test wants a failure");
			}
			return "logged in";
		}

		@GetMapping("/named")
		@RateLimited(limit = 5, window = "1h")
		public String named() {
			return "named";
		}

	}

}
