package io.github.ratelimit.test.autoconfigure;

import java.time.Duration;

import io.github.ratelimit.RateLimitOutcome;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static io.github.ratelimit.test.assertj.RateLimitAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

@WebMvcTest
@AutoConfigureRateLimit
class SignUpPageTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private RateLimitOutcomes outcomes;

	@Test
	void rejectedClientIsToldToComeBack() {
		this.outcomes.force("sign-up", RateLimitOutcome.REJECTED);
		assertThat(this.mvc.get().uri("/sign-up")).isRateLimited().hasBodyTextEqualTo("Come back later");
	}

	@Test
	void bannedClientIsToldSo() {
		this.outcomes.force("sign-up", RateLimitOutcome.BANNED, Duration.ofHours(2));
		assertThat(this.mvc.get().uri("/sign-up")).isRateLimited()
			.hasRetryAfter(Duration.ofHours(2))
			.hasBodyTextEqualTo("You are banned");
	}

}
