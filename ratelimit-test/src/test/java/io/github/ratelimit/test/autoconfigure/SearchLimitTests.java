package io.github.ratelimit.test.autoconfigure;

import java.time.Duration;

import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static io.github.ratelimit.test.assertj.RateLimitAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

@WebMvcTest
@AutoConfigureRateLimit(manualClock = true)
class SearchLimitTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private ManualClock clock;

	@Test
	void searchIsPossibleOnceAnHour() {
		assertThat(this.mvc.get().uri("/search")).hasStatusOk();
		assertThat(this.mvc.get().uri("/search")).isRateLimited().hasRetryAfter(Duration.ofHours(1));
		this.clock.advance(Duration.ofHours(1));
		assertThat(this.mvc.get().uri("/search")).hasStatusOk();
	}

}
