package io.github.ratelimit.integration.suite;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is decided in shadow leaves requests and responses as they would be without it.
 */
@Tag("stack")
class ShadowRequestTests {

	private static final List<String> POLICIES = List.of("login", "Handlers.annotated", "Handlers.argument");

	private static final List<String> PATHS = List.of("/ruled", "/annotated", "/both", "/argument?name=ada");

	/* Starts an application whose three policies have a mode. */
	private static TestServer start(String mode, String... more) {
		return TestServer.start(Application.class, TestServer.with(properties(mode), more));
	}

	private static String[] properties(String mode) {
		return new String[] { "login: 1 per 1m; mode=" + mode, "[Handlers.annotated]: 1 per 1m; mode=" + mode,
				"[Handlers.argument]: 1 per 1m; mode=" + mode,
				"queue: 1 per 1m; algorithm=leaky-bucket; burst=2; mode=shadow", "/ruled -> login",
				"/both -> Handlers.annotated", "/missing -> login", "/page/queued -> queue" };
	}

	private static void assertThatUntouched(Answer response) {
		response.is(200, "Retry-After:").tellsOfNoLimit();
	}

	@Test
	void nobodyIsRejectedAndNobodyWaitsAndNoFieldTellsOfIt() {
		try (TestServer server = start("shadow")) {
			for (int path = 1; path <= PATHS.size(); path++) {
				for (int i = 0; i < 4; i++) {
					assertThatUntouched(server.get(PATHS.get(path - 1)));
				}
				assertThat(count(server, RateLimitOutcome.ALLOWED)).isEqualTo(path);
				assertThat(count(server, RateLimitOutcome.REJECTED)).isEqualTo(3 * path);
				server.clock().advance(Duration.ofHours(1));
			}
			for (int i = 0; i < 4; i++) {
				assertThatUntouched(server.get("/page/queued"));
			}
			assertThat(server.limiter().policy("queue").count(RateLimitOutcome.DELAYED)).isEqualTo(2);
			assertThat(server.limiter().policy("queue").count(RateLimitOutcome.REJECTED)).isEqualTo(1);
		}
	}

	private static long count(TestServer server, RateLimitOutcome outcome) {
		return POLICIES.stream().mapToLong((policy) -> server.limiter().policy(policy).count(outcome)).sum();
	}

	@Test
	void onePropertyTurnsShadowIntoEnforcement() {
		try (TestServer server = start("enforce")) {
			for (String path : PATHS) {
				assertThat(server.get(path).is(200).field("RateLimit")).endsWith("\";r=0;t=60");
				server.get(path).is(429);
				server.clock().advance(Duration.ofHours(1));
			}
		}
	}

	@Test
	void anAnnotatedLimitInShadowStandsBesideOneThatIsEnforced() {
		try (TestServer server = start("enforce")) {
			Answer first = server.get("/two");
			assertThat(first.all("RateLimit-Policy")).containsExactly("\"two\";q=3;w=60");
			assertThat(List.of(server.get("/two").status(), server.get("/two").status(), server.get("/two").status()))
				.containsExactly(200, 200, 429);
			assertThat(server.limiter().policy("two").count(RateLimitOutcome.REJECTED)).isEqualTo(1);
			assertThat(server.limiter().policy("one in shadow").count(RateLimitOutcome.REJECTED)).isEqualTo(3);
		}
	}

	@Test
	void shadowLimitsSeeWhatTheEnforcedOnesRejectAndNoFieldTellsOfThem() {
		try (TestServer server = start("enforce", "ratelimit.policies.login.limit=3",
				"login.shadow-limits[0]: 2 per 1h; algorithm=fixed-window-counter")) {
			List<Integer> statuses = new ArrayList<>();
			for (int i = 0; i < 5; i++) {
				Answer response = server.get("/ruled");
				statuses.add(response.status());
				assertThat(response.all("RateLimit-Policy")).containsExactly("\"login\";q=3;w=60");
			}
			assertThat(statuses).containsExactly(200, 200, 200, 429, 429);
			RateLimitShadow shadow = server.limiter().policy("login").shadow();
			assertThat(shadow).isNotNull();
			assertThat(shadow.count(RateLimitOutcome.ALLOWED)).isEqualTo(2);
			assertThat(shadow.count(RateLimitOutcome.REJECTED)).isEqualTo(3);
		}
	}

	@Test
	void fieldsOfTheApplicationsOwnAreLeftAlone() {
		try (TestServer server = start("enforce")) {
			Answer response = server.get("/own", "Origin", "https://example.com");
			assertThat(response.all("RateLimit-Policy")).containsExactly("theirs");
			assertThat(response.field("Access-Control-Allow-Origin")).isNotNull();
			assertThat(response.field("Access-Control-Expose-Headers")).isNull();
			assertThat(server.limiter().policy("Application.own").count(RateLimitOutcome.ALLOWED)).isEqualTo(1);
		}
	}

	@Test
	void whatIsChargedByOutcomeIsSettledInShadow() {
		try (TestServer server = start("shadow", "ratelimit.policies.login.charge=status == 404")) {
			RateLimiter login = server.limiter().policy("login");
			for (int i = 0; i < 3; i++) {
				assertThatUntouched(server.get("/ruled"));
				TestServer.await(() -> login.peek("127.0.0.1").remaining() == 1);
			}
			assertThat(login.count(RateLimitOutcome.ALLOWED)).isEqualTo(3);
			server.get("/missing").is(404);
			server.get("/missing").is(404);
			assertThat(login.count(RateLimitOutcome.REJECTED)).isEqualTo(1);
		}
	}

	@Test
	void whileRedisIsGoneNothingIsDecidedInShadow() {
		try (TestServer server = TestServer.startWithNeighbours(Application.class, TestServer.with(properties("shadow"),
				"ratelimit.store=redis", "spring.data.redis.port=1", "ratelimit.redis.on-failure=reject"))) {
			for (int i = 0; i < 4; i++) {
				assertThatUntouched(server.get("/ruled"));
			}
			RateLimitShadow shadow = server.limiter().policy("login").shadow();
			assertThat(shadow).isNotNull();
			assertThat(shadow.count(RateLimitOutcome.UNAVAILABLE)).isZero();
			assertThat(shadow.count(RateLimitOutcome.ALLOWED)).isZero();
			assertThat(server.limiter().policy("login").fallbacks()).isZero();
		}
	}

	@Import(Handlers.class)
	@RestController
	static class Application {

		@RateLimited(limit = 1, window = "1m", mode = RateLimitMode.SHADOW)
		@CrossOrigin
		@GetMapping("/own")
		ResponseEntity<String> own() {
			return ResponseEntity.ok().header("RateLimit-Policy", "theirs").body("own");
		}

		@RateLimited(name = "two", limit = 3, window = "1m")
		@RateLimited(name = "one in shadow", limit = 1, window = "1m", mode = RateLimitMode.SHADOW)
		@GetMapping("/two")
		String two() {
			return "two";
		}

	}

}
