package io.github.ratelimit.web.servlet;

import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A handler one of whose limits has plans that somebody is asked for, beside another that
 * is charged by the response.
 */
class PlannedHandlerTests {

	@Test
	void aLimitThatIsChargedByTheResponseIsSettledByItBesideOneWithPlans() {
		try (TestServer server = TestServer.start(Logins.class, "ratelimit.policies.planned.limit=100",
				"ratelimit.policies.planned.window=1m", "ratelimit.policies.planned.plans.pro.limit=200",
				"ratelimit.policies.planned.plans.pro.window=1m")) {
			for (int i = 1; i <= 5; i++) {
				server.form("/login", "name=ann&password=secret").is(200);
				server.awaitSettled("failures");
				assertThat(server.limiter().peek("failures", "ann").remaining()).isEqualTo(6 - i);
				server.form("/login", "name=ann&password=guess").is(401);
				server.awaitSettled("failures");
				assertThat(server.limiter().peek("failures", "ann").remaining()).isEqualTo(5 - i);
			}
			server.form("/login", "name=ann&password=secret").is(429);
		}
	}

	@RestController
	static class Logins {

		@Bean
		static RateLimitPlanResolver plans() {
			return (policy, key) -> "pro";
		}

		@RateLimited(policy = "planned", key = "#name")
		@RateLimited(name = "failures", limit = 5, window = "15m", key = "#name", charge = "status >= 400")
		@PostMapping("/login")
		ResponseEntity<String> login(@RequestParam String name, @RequestParam String password) {
			if (password.equals("secret")) {
				return ResponseEntity.ok("welcome");
			}
			return ResponseEntity.status(401).build();
		}

	}

}
