package io.github.ratelimit.test.autoconfigure;

import java.time.Duration;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.ProblemDetail;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static io.github.ratelimit.test.assertj.RateLimitAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

@WebMvcTest
@AutoConfigureRateLimit(manualClock = true)
class ManualClockTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private ManualClock clock;

	@Autowired
	private RateLimitClock applicationClock;

	@RepeatedTest(2)
	void limitsRecoverAsTheClockIsMoved() {
		assertThat(this.mvc.get().uri("/search")).isAllowed();
		assertThat(this.mvc.get().uri("/search")).isRateLimited().hasRetryAfter(Duration.ofHours(1));
		this.clock.advance(Duration.ofMinutes(59));
		assertThat(this.mvc.get().uri("/search")).isRateLimited().hasRetryAfter(Duration.ofMinutes(1));
		this.clock.advance(Duration.ofMinutes(1));
		assertThat(this.mvc.get().uri("/search")).isAllowed().hasRemaining("SearchController.search", 0);
	}

	@Test
	void bodyIsReadAsTheApplicationReadsJson() {
		assertThat(this.mvc.get().uri("/search")).isAllowed();
		assertThat(this.mvc.get().uri("/search")).isRateLimited()
			.bodyJson()
			.convertTo(ProblemDetail.class)
			.returns(429, ProblemDetail::getStatus);
	}

	@RepeatedTest(3)
	void everyTestBeginsAtMidnight() {
		Duration week = Duration.ofDays(7);
		assertThat(this.applicationClock).isSameAs(this.clock);
		assertThat(this.clock.nanos() % week.toNanos()).isZero();
		this.clock.advance(Duration.ofSeconds(30));
	}

}
