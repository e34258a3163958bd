package io.github.ratelimit.integration.suite;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.Stack;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Where the actuator has a port of its own, Spring Security accepts logins there too.
 * Rules hold there as on the application's own port, with the same states.
 */
@Tag("stack")
class ManagementPortTests {

	private static final int GUESSES = 60;

	private static final int LIMIT = 5;

	private static final String INFO = "/actuator/info";

	private static final String PAGE_ORIGIN = "https://operators.example";

	private static final String[] PROPERTIES = { "management.endpoints.web.exposure.include=info",
			"management.endpoints.web.cors.allowed-origins=" + PAGE_ORIGIN, "test.operator=true",
			"login: 5 per 15m; algorithm=sliding-window-log; key=folded(parameter('username')) ?: 'no name'; "
					+ "charge=authenticationFailed",
			"basic: 5 per 15m; algorithm=sliding-window-log; key=clientAddress; charge=authenticationFailed",
			"all: 100 per 1h; key=clientAddress", "user: 2 per 1h; key=principal.name",
			"hour: 1 per 1h; algorithm=leaky-bucket; burst=2; key=clientAddress", "here: 100 per 1h; key=clientAddress",
			"none: 2 per 1h; key=clientAddress; charge=status >= 400 ? 1 : 0", "/login -> login; methods=POST",
			"/** -> basic; condition=header('Authorization') != null",
			"/actuator/** -> all; condition=header('Count') != null",
			"/actuator/info -> user; condition=header('By-User') != null",
			"/** -> hour; condition=header('Slowly') != null",
			"/actuator/** -> here; condition=header('Here') != null and " + Stack.CURRENT.port()
					+ " != @environment.getProperty('local.management.port', T(Integer)); phase=before-security",
			"/actuator/none -> none" };

	@AutoClose
	private static TestServer server;

	private static TestServer management;

	@BeforeAll
	static void start() {
		server = start("management.server.base-path=/operators");
		management = server.management();
	}

	private static TestServer start(String... properties) {
		return TestServer.startDivided(List.of(Handlers.class, Stack.part("Logins"), Stack.part("Functions")),
				TestServer.with(PROPERTIES, properties));
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@Test
	void wrongPasswordsOfFormsAreLimitedOverBothPortsTogether() {
		assertThat(guess(GUESSES, (guess) -> logIn(of(guess), prefix(guess), "ann", "guess" + guess)))
			.isEqualTo(Map.of(302, LIMIT, 429, GUESSES - LIMIT));
		logIn(management, "/operators", "ann", "secret").is(429, "Retry-After: 900",
				"Content-Type: application/problem+json");
		assertThat(logIn(management, "/operators", "bob", "secret").is(302).field("Location")).doesNotContain("error");
	}

	@Test
	void wrongPasswordsOfHttpBasicAreLimitedOverBothPortsTogether() {
		assertThat(
				guess(GUESSES,
						(guess) -> of(guess).get(prefix(guess) + INFO, "Authorization",
								TestServer.basic("ann", "guess" + guess))))
			.isEqualTo(Map.of(401, LIMIT, 429, GUESSES - LIMIT));
		management.getAs("ann", "/operators" + INFO).is(429, "Retry-After: 900");
		server.getAs("ann", "/free").is(429);
	}

	@Test
	void rightPasswordsCostNothing() {
		for (int i = 0; i < 2 * LIMIT; i++) {
			management.getAs("ann", "/operators" + INFO).is(200);
			server.awaitSettled("basic");
		}
	}

	@Test
	void requestIsCountedOnceAndToldSo() {
		RateLimiter policy = server.limiter().policy("all");
		long before = policy.count(RateLimitOutcome.ALLOWED);
		for (int i = 1; i <= 3; i++) {
			Answer answer = management.get("/operators" + INFO, "Count", "yes").is(401, "X-RateLimit-Limit: 100");
			assertThat(answer.all("RateLimit")).hasSize(1);
			assertThat(answer.all("X-RateLimit-Remaining")).containsExactly(String.valueOf(100 - i));
		}
		server.get(INFO, "Count", "yes").is(401, "X-RateLimit-Remaining: 96");
		assertThat(policy.count(RateLimitOutcome.ALLOWED)).isEqualTo(before + 4);
	}

	@Test
	void ruleMayLeaveThePortOut() {
		assertThat(management.get("/operators" + INFO, "Here", "yes").is(401).all("RateLimit")).isEmpty();
		server.get(INFO, "Here", "yes").is(401, "X-RateLimit-Remaining: 99");
	}

	@Test
	void ruleThatReadsTheUserHoldsAfterSpringSecurity() {
		management.getAs("ann", "/operators" + INFO, "By-User", "yes").is(200);
		management.getAs("ann", "/operators" + INFO, "By-User", "yes").is(200);
		management.getAs("ann", "/operators" + INFO, "By-User", "yes").is(429);
		management.getAs("bob", "/operators" + INFO, "By-User", "yes").is(200);
		assertThat(management.get("/operators" + INFO, "By-User", "yes").is(401).all("RateLimit")).isEmpty();
	}

	@Test
	void statusThatAnErrorEndsWithIsCharged() {
		for (int i = 0; i < 2; i++) {
			management.getAs("ann", "/operators/actuator/none").is(404);
			server.awaitSettled("none");
		}
		management.getAs("ann", "/operators/actuator/none").is(429);
	}

	@ParameterizedTest
	@CsvSource({ "/operated, 200", "/operated/failing, 409" })
	void handlerOfTheActuatorsContextIsLimitedOnceAndCharged(String path, int status) {
		for (int i = 1; i >= 0; i--) {
			Answer answer = management.getAs("ann", "/operators" + path).is(status);
			assertThat(answer.all("RateLimit")).hasSize(1).first().asString().contains(";r=" + i);
			server.awaitSettled("Operator" + path.replace('/', '.'));
		}
		management.getAs("ann", "/operators" + path).is(429);
	}

	/*
	 * Spring WebFlux serves the application's functions there, Spring MVC does not.
	 */
	@Test
	void functionOfTheApplicationIsLimitedWhereverItIsServed() {
		assertThat(guess(2 * LIMIT, (guess) -> management.get("/operators/functional/1", "Authorization",
				TestServer.basic("ann", "guess" + guess))))
			.isEqualTo(Map.of(401, LIMIT, 429, LIMIT));
	}

	@Test
	void pageOfAnotherOriginThatMayReadTheActuatorMayReadThatItIsRejected() {
		management.getAs("ann", "/operators" + INFO, "By-User", "yes", "Origin", PAGE_ORIGIN)
			.is(200, "Access-Control-Allow-Origin: " + PAGE_ORIGIN);
		management.getAs("ann", "/operators" + INFO, "By-User", "yes", "Origin", PAGE_ORIGIN).is(200);
		Answer rejected = management.getAs("ann", "/operators" + INFO, "By-User", "yes", "Origin", PAGE_ORIGIN)
			.is(429, "Access-Control-Allow-Origin: " + PAGE_ORIGIN);
		assertThat(rejected.field("Access-Control-Expose-Headers")).contains("Retry-After");
		assertThat(management.getAs("ann", "/operators" + INFO, "By-User", "yes", "Origin", "https://evil.example")
			.is(429)
			.field("Access-Control-Allow-Origin")).isNull();
	}

	@Test
	void requestThatMustWaitDoesSoAndIsAnsweredWhenTheApplicationStops() throws Exception {
		CompletableFuture<Answer> waiting;
		try (TestServer stopped = start(TestServer.GRACEFULLY, "spring.lifecycle.timeout-per-shutdown-phase=1s")) {
			TestServer management = stopped.management();
			management.getAs("ann", INFO, "Slowly", "yes").is(200);
			waiting = management.sendAsync("GET", INFO, "", "Slowly", "yes", "Authorization",
					TestServer.basic("ann", "secret"));
			TestServer.await(() -> stopped.bean(WaitingRoom.class).waiting() == 1);
			assertThat(stopped.limiter().policy("hour").count(RateLimitOutcome.DELAYED)).isEqualTo(1);
			assertThat(waiting).isNotDone();
		}
		waiting.get(60, TimeUnit.SECONDS).is(503);
	}

	/*
	 * How often each status was answered.
	 */
	private static Map<Integer, Integer> guess(int times, IntFunction<Answer> guess) {
		return IntStream.range(0, times)
			.mapToObj(guess)
			.collect(Collectors.toMap(Answer::status, (answer) -> 1, Integer::sum));
	}

	private static Answer logIn(TestServer server, String prefix, String user, String password) {
		return server.form(prefix + "/login", "username=" + user + "&password=" + password);
	}

	private static TestServer of(int guess) {
		return (guess % 2 == 0) ? management : server;
	}

	private static String prefix(int guess) {
		return (guess % 2 == 0) ? "/operators" : "";
	}

	@RestController
	@ManagementContextConfiguration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty("test.operator")
	static class Operator {

		@RateLimited(name = "Operator.operated", limit = 2, window = "1h", charge = "status == 200 ? 1 : 0")
		@GetMapping("/operated")
		String operated() {
			return "operated";
		}

		@RateLimited(name = "Operator.operated.failing", limit = 2, window = "1h", charge = "status >= 400 ? 1 : 0")
		@GetMapping("/operated/failing")
		ResponseEntity<String> failing() {
			return ResponseEntity.status(HttpStatus.CONFLICT).body("failed");
		}

	}

}
