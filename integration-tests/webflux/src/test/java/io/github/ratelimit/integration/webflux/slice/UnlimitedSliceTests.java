package io.github.ratelimit.integration.webflux.slice;

import io.github.ratelimit.test.autoconfigure.AutoConfigureRateLimit;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.test.web.reactive.server.WebTestClient;

import static io.github.ratelimit.test.assertj.RateLimitAssertions.assertThat;

/**
 * A slice can do without limits.
 */
@WebFluxTest
@AutoConfigureRateLimit(enabled = false)
class UnlimitedSliceTests {

	@Test
	void everyRequestIsAllowed(@Autowired WebTestClient client) {
		for (int i = 0; i < 3; i++) {
			assertThat(client.get().uri("/search").exchange()).isAllowed();
		}
	}

}
