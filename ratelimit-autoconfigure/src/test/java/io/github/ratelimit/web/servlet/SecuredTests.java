package io.github.ratelimit.web.servlet;

import java.net.http.HttpResponse;
import java.security.Principal;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.RateLimitOutcome;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Beside Spring Security: a rule by address comes before it, one by user after it.
 */
class SecuredTests {

	/* ann:guess */
	private static final String GUESS = "Basic YW5uOmd1ZXNz";

	@AutoClose
	private final TestServer server = TestServer.startSecured(Application.class,
			"ratelimit.policies.flood.limits[0].limit=3", "ratelimit.policies.flood.limits[0].window=1h",
			"ratelimit.policies.user.key=principal.name", "ratelimit.policies.user.limits[0].limit=2",
			"ratelimit.policies.user.limits[0].window=1h", "ratelimit.policies.slow.key=principal.name",
			"ratelimit.policies.slow.limits[0].algorithm=leaky-bucket", "ratelimit.policies.slow.limits[0].limit=10",
			"ratelimit.policies.slow.limits[0].window=1s", "ratelimit.policies.slow.limits[0].burst=10",
			"ratelimit.rules[0].path=/flooded", "ratelimit.rules[0].policy=flood", "ratelimit.rules[1].path=/mine",
			"ratelimit.rules[1].policy=user", "ratelimit.rules[2].path=/admin", "ratelimit.rules[2].policy=flood",
			"ratelimit.rules[3].path=/slow", "ratelimit.rules[3].policy=slow");

	@Test
	void aFloodOfUnauthenticatedRequestsIsCountedAndRejected() {
		for (int i = 2; i >= 0; i--) {
			HttpResponse<String> response = this.server.get("/flooded");
			assertThat(response.statusCode()).isEqualTo(401);
			assertThat(response.headers().allValues("X-RateLimit-Remaining")).containsExactly("" + i);
		}
		assertThat(this.server.get("/flooded").statusCode()).isEqualTo(429);
		assertThat(this.server.getAs("ann", "/flooded").statusCode()).isEqualTo(429);
	}

	@Test
	void aGuessedPasswordCounts() {
		for (int i = 0; i < 3; i++) {
			assertThat(this.server.get("/flooded", "Authorization", GUESS).statusCode()).isEqualTo(401);
		}
		assertThat(this.server.getAs("ann", "/flooded").statusCode()).isEqualTo(429);
	}

	@Test
	void aForbiddenRequestHasTheHeadersOfTheRuleThatTouchedIt() {
		HttpResponse<String> response = this.server.getAs("ann", "/admin");
		assertThat(response.statusCode()).isEqualTo(403);
		assertThat(response.headers().allValues("RateLimit")).containsExactly("\"flood\";r=2;t=2400");
	}

	@Test
	void aRuleByUserCountsEachUserAlone() {
		assertThat(this.server.getAs("ann", "/mine").body()).isEqualTo("ann");
		assertThat(this.server.getAs("ann", "/mine").body()).isEqualTo("ann");
		assertThat(this.server.getAs("ann", "/mine").statusCode()).isEqualTo(429);
		assertThat(this.server.getAs("bob", "/mine").body()).isEqualTo("bob");
	}

	@Test
	void aRuleByUserDoesNotSeeWhomSecurityTurnsAway() {
		HttpResponse<String> response = this.server.get("/mine");
		assertThat(response.statusCode()).isEqualTo(401);
		assertThat(response.headers().firstValue("RateLimit")).isEmpty();
		assertThat(this.server.limiter().policy("user").count(RateLimitOutcome.ALLOWED)).isZero();
	}

	@Test
	void aRequestIsStillItsUsersAfterTheWait() {
		assertThat(this.server.getAs("ann", "/slow").body()).isEqualTo("ann ann");
		HttpResponse<String> delayed = this.server.getAs("ann", "/slow");
		assertThat(this.server.limiter().policy("slow").count(RateLimitOutcome.DELAYED)).isEqualTo(1);
		assertThat(delayed.body()).isEqualTo("ann ann");
		assertThat(delayed.headers().allValues("RateLimit")).hasSize(1);
		assertThat(delayed.headers().allValues("X-RateLimit-Remaining")).hasSize(1);
		assertThat(this.server.bean(AtomicInteger.class)).hasValue(2);
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Controller.class, SecuredUsers.class })
	static class Application {

		@Bean
		AtomicInteger slowCalls() {
			return new AtomicInteger();
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
