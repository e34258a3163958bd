package io.github.ratelimit.web.servlet;

import java.security.Principal;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.expression.KeyResolver;
import io.github.ratelimit.expression.RateLimitContext;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Before or after Spring Security: a rule whose key asks for the user in whatever way
 * finds the user, and a rule may say itself where it belongs.
 */
@ExtendWith(OutputCaptureExtension.class)
class SecurityPhaseTests {

	/* ann:guess */
	private static final String GUESS = "Basic YW5uOmd1ZXNz";

	/* A rule by address, two by user, and one for what only some may do. */
	private static final String[] SEVERAL = { "flood: 3 per 1h", "user: 2 per 1h; key=principal.name",
			"slow: 10 per 1s; key=principal.name; algorithm=leaky-bucket; burst=10", "/flooded -> flood",
			"/admin -> flood", "/slow -> slow" };

	private static final String HOLDER = "T(org.springframework.security.core.context.SecurityContextHolder)";

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void startWithSeveral() {
		server = start(SEVERAL);
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@ParameterizedTest
	@ValueSource(strings = { HOLDER + ".context.authentication.name", "request['remoteUser']",
			"request.getUserPrincipal().name", "#root['principal'].name", "principal", "header('X-None') ?: principal",
			"request.isUserInRole('ADMIN') ? 'admins' : request.remoteUser", "@users.current()", "@userKeys",
			"T(io.github.ratelimit.web.servlet.SecurityPhaseTests$Users).name()", "" })
	void aKeyThatAsksForTheUserInWhateverWayFindsTheUser(String key) {
		String property = key.isEmpty() ? "ratelimit.key=request['remoteUser']" : "ratelimit.policies.user.key=" + key;
		try (TestServer server = start(property)) {
			assertThat(server.getAs("ann", "/mine").remaining()).isEqualTo(99);
			assertThat(server.getAs("bob", "/mine").remaining()).isEqualTo(99);
			assertThat(server.getAs("ann", "/mine").remaining()).isEqualTo(98);
			server.get("/mine").is(401);
			assertThat(server.limiter().policy("user").keys()).isEqualTo(2);
		}
	}

	@Test
	void aKeyThatCallsALimitedBeanFindsTheUser() {
		try (TestServer server = start("ratelimit.policies.user.key=@limited.prefix() + request.remoteUser")) {
			assertThat(server.getAs("ann", "/mine").remaining()).isEqualTo(99);
			assertThat(server.getAs("ann", "/mine").remaining()).isEqualTo(98);
			assertThat(server.limiter().peek("user", "user-ann").remaining()).isEqualTo(98);
		}
	}

	@Test
	void aRuleMaySayThatItComesBeforeSecurity() {
		try (TestServer server = start("ratelimit.policies.user.key=@tenantKeys",
				"ratelimit.rules[0].phase=before-security")) {
			server.get("/mine", "X-Tenant", "acme").is(401, "X-RateLimit-Remaining: 99");
			assertThat(server.limiter().peek("user", "acme").remaining()).isEqualTo(99);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "after-security", "AFTER_SECURITY", "afterSecurity" })
	void aRuleMaySayThatItComesAfterSecurity(String phase) {
		try (TestServer server = start("ratelimit.policies.user.key=clientAddress",
				"ratelimit.rules[0].phase=" + phase)) {
			server.get("/mine").is(401, "X-RateLimit-Remaining:");
			assertThat(server.getAs("ann", "/mine").remaining()).isEqualTo(99);
		}
	}

	@Test
	void aKeyResolverThatFoundNobodyBeforeSecurityIsMentionedOnce(CapturedOutput output) {
		try (TestServer server = start("ratelimit.policies.user.key=@userKeys",
				"ratelimit.rules[0].phase=before-security")) {
			for (int i = 0; i < 99; i++) {
				server.getAs("ann", "/mine");
			}
			assertThat(output).doesNotContain("before Spring Security");
			for (int i = 0; i < 20; i++) {
				server.getAs("ann", "/mine");
			}
			assertThat(output).containsOnlyOnce("before Spring Security")
				.contains("rule /mine (policy 'user')", "ratelimit.rules[0].phase");
		}
	}

	@Test
	void aKeyResolverThatFoundSomebodyOnceIsNotMentioned(CapturedOutput output) {
		try (TestServer server = start("ratelimit.policies.user.key=@tenantKeys",
				"ratelimit.rules[0].phase=before-security")) {
			server.get("/mine", "X-Tenant", "acme");
			for (int i = 0; i < 120; i++) {
				server.get("/mine", "Accept-Language", "en");
			}
			assertThat(output).doesNotContain("before Spring Security");
		}
	}

	@Test
	void aKeyThatAsksNobodyIsNotMentioned(CapturedOutput output) {
		try (TestServer server = start("ratelimit.policies.user.key=header('X-Tenant')")) {
			for (int i = 0; i < 120; i++) {
				server.get("/mine", "Accept-Language", "en");
			}
			assertThat(output).doesNotContain("before Spring Security");
		}
	}

	@Test
	void aRuleWithAKeyOfTheUserRunsAfterSecurity() {
		try (TestServer server = start("ratelimit.rules[0].key=principal")) {
			assertThat(server.get("/mine").field("RateLimit")).isNull();
			assertThat(server.getAs("ann", "/mine").remaining()).isEqualTo(99);
			assertThat(server.getAs("bob", "/mine").remaining()).isEqualTo(99);
			assertThat(server.limiter().peek("user", "ann").remaining()).isEqualTo(99);
		}
	}

	@Test
	void aRuleWhoseCostOrConditionReadsTheUserRunsAfterSecurity() {
		try (TestServer server = start("ratelimit.rules[0].cost=principal.name == 'ann' ? 10 : 1",
				"ratelimit.rules[0].condition=request.remoteUser != 'root'")) {
			assertThat(server.get("/mine").field("RateLimit")).isNull();
			assertThat(server.getAs("ann", "/mine").remaining()).isEqualTo(90);
			assertThat(server.getAs("bob", "/mine").remaining()).isEqualTo(89);
			assertThat(server.getAs("root", "/mine").field("RateLimit")).isNull();
		}
	}

	@Test
	void aRuleWhoseKeyReadsNoUserComesBeforeSecurityThoughThePolicysDoes() {
		try (TestServer server = start("ratelimit.policies.user.key=principal.name",
				"ratelimit.rules[0].key=clientAddress")) {
			server.get("/mine").is(401, "X-RateLimit-Remaining: 99");
		}
	}

	@Test
	void aFloodOfUnauthenticatedRequestsIsCountedAndRejected() {
		for (int i = 2; i >= 0; i--) {
			server.get("/flooded").is(401, "X-RateLimit-Remaining: " + i);
		}
		server.get("/flooded").is(429);
		server.getAs("ann", "/flooded").is(429);
	}

	@Test
	void aGuessedPasswordCounts() {
		for (int i = 0; i < 3; i++) {
			server.get("/flooded", "Authorization", GUESS).is(401);
		}
		server.getAs("ann", "/flooded").is(429);
	}

	@Test
	void aForbiddenRequestHasTheHeadersOfTheRuleThatTouchedIt() {
		server.getAs("ann", "/admin").is(403, "RateLimit: \"flood\";r=2;t=2400");
	}

	@Test
	void aRuleByUserCountsEachUserAlone() {
		assertThat(server.getAs("ann", "/mine").body()).isEqualTo("ann");
		assertThat(server.getAs("ann", "/mine").body()).isEqualTo("ann");
		server.getAs("ann", "/mine").is(429);
		assertThat(server.getAs("bob", "/mine").body()).isEqualTo("bob");
	}

	@Test
	void aRuleByUserDoesNotSeeWhomSecurityTurnsAway() {
		long before = server.limiter().policy("user").count(RateLimitOutcome.ALLOWED);
		server.get("/mine").is(401, "RateLimit:");
		assertThat(server.limiter().policy("user").count(RateLimitOutcome.ALLOWED)).isEqualTo(before);
	}

	@Test
	void aRequestIsStillItsUsersAfterTheWait() {
		assertThat(server.getAs("ann", "/slow").body()).isEqualTo("ann ann");
		Answer delayed = server.getAs("ann", "/slow");
		assertThat(server.limiter().policy("slow").count(RateLimitOutcome.DELAYED)).isEqualTo(1);
		assertThat(delayed.body()).isEqualTo("ann ann");
		assertThat(delayed.all("RateLimit")).hasSize(1);
		assertThat(delayed.all("X-RateLimit-Remaining")).hasSize(1);
		assertThat(server.bean(AtomicInteger.class)).hasValue(2);
	}

	private static TestServer start(String... more) {
		String[] rule = { "user: 100 per 1d", "/mine -> user" };
		return TestServer.startSecured(Application.class, TestServer.with(rule, more));
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Controller.class, SecuredUsers.class })
	static class Application {

		@Bean
		Users users() {
			return new Users();
		}

		@Bean
		AtomicInteger slowCalls() {
			return new AtomicInteger();
		}

		@Bean
		Limited limited() {
			return new Limited();
		}

		@Bean(defaultCandidate = false)
		KeyResolver userKeys() {
			return (context) -> Users.name();
		}

		@Bean(defaultCandidate = false)
		KeyResolver tenantKeys() {
			return (RateLimitContext context) -> (context.request() != null) ? context.request().header("X-Tenant")
					: null;
		}

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http
				.authorizeHttpRequests(
						(requests) -> requests.requestMatchers("/admin").hasRole("ADMIN").anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

	}

	public static final class Users {

		public static String name() {
			Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
			return (authentication != null) ? authentication.getName() : null;
		}

		public String current() {
			return name();
		}

	}

	public static class Limited {

		@RateLimited(limit = 1000, window = "1d")
		public String prefix() {
			return "user-";
		}

	}

	@RestController
	static class Controller {

		private final AtomicInteger slowCalls;

		Controller(AtomicInteger slowCalls) {
			this.slowCalls = slowCalls;
		}

		@GetMapping({ "/mine", "/flooded", "/admin" })
		String mine(Principal principal) {
			return principal.getName();
		}

		@GetMapping("/slow")
		String slow(Principal principal) {
			this.slowCalls.incrementAndGet();
			return principal.getName() + " " + SecurityContextHolder.getContext().getAuthentication().getName();
		}

	}

}
