package io.github.ratelimit.integration.webflux.slice;

import java.time.Duration;

import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.autoconfigure.AutoConfigureRateLimit;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.test.web.reactive.server.WebTestClient;

import static io.github.ratelimit.test.assertj.RateLimitAssertions.assertThat;

@WebFluxTest
@AutoConfigureRateLimit(manualClock = true)
class ReactiveSearchLimitTests {

	@Autowired
	private WebTestClient client;

	@Autowired
	private ManualClock clock;

	@Test
	void searchIsPossibleOnceAnHour() {
		assertThat(this.client.get().uri("/search").exchange()).isAllowed();
		assertThat(this.client.get().uri("/search").exchange()).isRateLimited().hasRetryAfter(Duration.ofHours(1));
		this.clock.advance(Duration.ofHours(1));
		assertThat(this.client.get().uri("/search").exchange()).isAllowed();
	}

}
