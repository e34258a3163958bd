package io.github.ratelimit.integration.suite;

import java.security.Principal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Stack;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Before or after Spring Security: a rule whose key asks for the user finds the user, a
 * rule may say itself where it belongs, and a charge knows who failed to log in.
 */
@Tag("stack")
class SecurityTests {

	private static final String WRONG = TestServer.basic("ann", "guess");

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.startSecured(List.of(Application.class, Stack.part("Secured")), "ratelimit.key=principal",
				"flood: 3 per 1h; key=clientAddress", "user: 2 per 1h; key=principal.name",
				"named: 100 per 1d; key=principal", "default: 100 per 1d",
				"slow: 10 per 1s; key=principal.name; algorithm=leaky-bucket; burst=10",
				"other: 100 per 1d; key=clientAddress", "tenant: 100 per 1d; key=header('X-Tenant')",
				"login: 5 per 15m; algorithm=sliding-window-log; key='all'; charge=authenticationFailed",
				"users: 100 per 1d; key='all'; charge=principal?.name == 'ann' ? 3 : 0", "/flooded -> flood",
				"/admin -> flood", "/mine -> user", "/slow -> slow", "/before -> tenant; phase=before-security",
				"/after/kebab -> other; phase=after-security", "/after/upper -> other; phase=AFTER_SECURITY",
				"/after/camel -> other; phase=afterSecurity", "/rule/principal -> other; key=principal",
				"/rule/cost -> other; cost=principal.name == 'ann' ? 10 : 1; condition=principal.name != 'root'",
				"/rule/address -> user; key=clientAddress", "/by/name -> named", "/by/default -> default",
				"/by/either -> other; key=header('X-None') ?: principal", "/login/** -> login", "/users -> users");
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@ParameterizedTest
	@CsvSource({ "/by/name, 99", "/by/default, 99", "/by/either, 99", "/annotated, 99", "/argument?name=a, 99" })
	void aKeyThatAsksForTheUserFindsTheUser(String path) {
		assertThat(server.getAs("ann", path).remaining()).isEqualTo(99);
		assertThat(server.getAs("bob", path).remaining()).isEqualTo(99);
		assertThat(server.getAs("ann", path).remaining()).isEqualTo(98);
		server.get(path).is(401);
	}

	@Test
	void aRuleMaySayThatItComesBeforeSecurity() {
		server.get("/before", "X-Tenant", "acme").is(401, "X-RateLimit-Remaining: 99");
		assertThat(server.limiter().peek("tenant", "acme").remaining()).isEqualTo(99);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/after/kebab", "/after/upper", "/after/camel", "/rule/principal" })
	void aRuleMaySayThatItComesAfterSecurityAndDoesSoIfItsKeyReadsTheUser(String path) {
		server.get(path).is(401, "X-RateLimit-Remaining:");
		assertThat(server.getAs("ann", path).remaining()).isEqualTo(99);
		assertThat(server.getAs("bob", path).remaining()).isEqualTo(path.equals("/rule/principal") ? 99 : 98);
	}

	@Test
	void aRuleWhoseCostOrConditionReadsTheUserRunsAfterSecurity() {
		assertThat(server.get("/rule/cost").field("RateLimit")).isNull();
		assertThat(server.getAs("ann", "/rule/cost").remaining()).isEqualTo(90);
		assertThat(server.getAs("bob", "/rule/cost").remaining()).isEqualTo(89);
		assertThat(server.getAs("root", "/rule/cost").field("RateLimit")).isNull();
	}

	@Test
	void aRuleWhoseKeyReadsNoUserComesBeforeSecurityThoughThePolicysDoes() {
		server.get("/rule/address").is(401, "X-RateLimit-Remaining: 1");
	}

	@Test
	void aFloodOfUnauthenticatedRequestsIsCountedAndRejected() {
		for (int i = 2; i >= 0; i--) {
			server.get("/flooded").is(401, "X-RateLimit-Remaining: " + i);
		}
		server.get("/flooded").is(429);
		server.getAs("ann", "/flooded").is(429);
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET", "OPTIONS" })
	void aGuessedPasswordCountsAlsoInWhatLooksLikeAPreflight(String method) {
		for (int i = 0; i < 3; i++) {
			server
				.send(method, "/flooded", "", "Authorization", WRONG, "Origin", Stack.ORIGIN,
						"Access-Control-Request-Method", "GET")
				.is(401);
		}
		server.getAs("ann", "/flooded").is(429);
	}

	@Test
	void aForbiddenRequestHasTheHeadersOfTheRuleThatTouchedIt() {
		server.getAs("ann", "/admin").is(403, "RateLimit: \"flood\";r=2;t=2400");
	}

	@Test
	void aRuleByUserCountsEachUserAloneAndDoesNotSeeWhomSecurityTurnsAway() {
		assertThat(server.getAs("ann", "/mine").body()).isEqualTo("ann");
		assertThat(server.getAs("ann", "/mine").body()).isEqualTo("ann");
		server.getAs("ann", "/mine").is(429);
		assertThat(server.getAs("bob", "/mine").body()).isEqualTo("bob");
		long before = server.limiter().policy("user").count(RateLimitOutcome.ALLOWED);
		server.get("/mine").is(401, "RateLimit:");
		assertThat(server.limiter().policy("user").count(RateLimitOutcome.ALLOWED)).isEqualTo(before);
	}

	@Test
	void aRequestIsStillItsUsersAfterTheWait() {
		assertThat(server.getAs("ann", "/slow").body()).isEqualTo("ann");
		Answer delayed = server.getAs("ann", "/slow");
		assertThat(server.limiter().policy("slow").count(RateLimitOutcome.DELAYED)).isEqualTo(1);
		assertThat(delayed.body()).isEqualTo("ann");
		assertThat(delayed.all("RateLimit")).hasSize(1);
	}

	@Test
	void ofLoginsOnlyTheFailuresCount() {
		for (int i = 1; i <= 5; i++) {
			assertThat(server.getAs("ann", "/login/mine").is(200).body()).isEqualTo("ann");
			assertThat(remaining("login")).isEqualTo(6 - i);
			server.get("/login/mine", "Authorization", WRONG).is(401);
			assertThat(remaining("login")).isEqualTo(5 - i);
		}
		server.getAs("ann", "/login/mine").is(429, "Retry-After: 900");
	}

	@Test
	void whatIsNoAttemptOrFailsOtherwiseDoesNotCountAsAFailure() {
		server.get("/login/mine").is(401);
		server.getAs("ann", "/login/nowhere").is(404);
		assertThat(remaining("login")).isEqualTo(5);
		server.get("/login/mine", "Authorization", "Basic ?").is(401);
		assertThat(remaining("login")).isEqualTo(4);
	}

	@Test
	void sixtyFourWrongPasswordsAtOnceAreFiveFailures() {
		List<CompletableFuture<Answer>> logins = Stream
			.generate(() -> server.sendAsync("GET", "/login/mine", "", "Authorization", WRONG))
			.limit(64)
			.toList();
		List<Integer> statuses = logins.stream().map((login) -> login.join().status()).toList();
		assertThat(statuses).filteredOn((status) -> status == 401).hasSize(5);
		assertThat(statuses).filteredOn((status) -> status == 429).hasSize(59);
		assertThat(remaining("login")).isZero();
	}

	@Test
	void aChargeByTheUserIsDecidedBeforeSpringSecurityAndKnowsWhoItWas() {
		server.getAs("ann", "/users").is(200);
		assertThat(remaining("users")).isEqualTo(97);
		server.get("/users", "Authorization", WRONG).is(401);
		assertThat(remaining("users")).isEqualTo(97);
	}

	private static long remaining(String name) {
		server.awaitSettled(name);
		return server.limiter().peek(name, "all").remaining();
	}

	@RestController
	static class Application {

		@GetMapping({ "/mine", "/flooded", "/admin", "/before", "/by/*", "/after/*", "/rule/*", "/slow", "/login/mine",
				"/users" })
		String mine(Principal principal) {
			return principal.getName();
		}

		@RateLimited(limit = 100, window = "1d", key = "principal")
		@GetMapping("/annotated")
		String annotated() {
			return "annotated";
		}

		@RateLimited(limit = 100, window = "1d", key = "principal.name + #name")
		@GetMapping("/argument")
		Mono<String> argument(@RequestParam String name) {
			return Mono.just(name);
		}

	}

}
