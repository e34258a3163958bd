package io.github.ratelimit.sample;

import java.time.Duration;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.autoconfigure.AutoConfigureRateLimit;
import io.github.ratelimit.test.autoconfigure.RateLimitOutcomes;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MockMvcTester.MockMvcRequestBuilder;

import static io.github.ratelimit.test.assertj.RateLimitAssertions.assertThat;

/**
 * Passwords cannot be guessed.
 */
@SpringBootTest
@AutoConfigureMockMvc
@AutoConfigureRateLimit(manualClock = true)
class LoginTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private ManualClock clock;

	@Autowired
	private RateLimitOutcomes outcomes;

	@Test
	void fiveGuessesAMinuteArePossible() {
		for (int i = 0; i < 5; i++) {
			assertThat(login("guess")).isAllowed().hasStatus(401);
			this.clock.advance(Duration.ofSeconds(1));
		}
		assertThat(login("guess")).isRateLimited()
			.hasRetryAfter(Duration.ofSeconds(55))
			.hasRemaining("login-1m", 0)
			.hasViolatedPolicies("login-1m");
		this.clock.advance(Duration.ofSeconds(55));
		assertThat(login("guess")).isAllowed();
	}

	@Test
	void whoeverHasThePasswordIsNeverRejected() {
		for (int i = 0; i < 30; i++) {
			assertThat(login("lovelace")).isAllowed().hasStatus(204);
		}
	}

	@Test
	void nobodyLogsInWhileItIsUnknownHowOftenTheyTried() {
		this.outcomes.force("login", RateLimitOutcome.UNAVAILABLE);
		assertThat(login("lovelace")).isUnavailable();
	}

	private MockMvcRequestBuilder login(String password) {
		return this.mvc.post()
			.uri("/login")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"user\":\"ada\",\"password\":\"" + password + "\"}");
	}

}
