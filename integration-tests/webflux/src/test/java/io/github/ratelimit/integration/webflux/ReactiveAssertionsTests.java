package io.github.ratelimit.integration.webflux;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.util.ClassUtils;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;

import static io.github.ratelimit.test.assertj.RateLimitAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Responses of WebTestClient can be asserted of where there is no servlet API.
 */
class ReactiveAssertionsTests {

	private final WebTestClient client = WebTestClient
		.bindToRouterFunction(RouterFunctions.route()
			.GET("/found",
					(request) -> ServerResponse.ok().header("RateLimit", "\"search\";r=4;t=60").bodyValue("found"))
			.GET("/rejected",
					(request) -> ServerResponse.status(429)
						.header("Retry-After", "60")
						.contentType(MediaType.APPLICATION_PROBLEM_JSON)
						.bodyValue("{\"status\":429,\"violated-policies\":[\"search\"]}"))
			.build())
		.build();

	@Test
	void thereIsNoServletApi() {
		assertThat(ClassUtils.isPresent("jakarta.servlet.Servlet", getClass().getClassLoader())).isFalse();
	}

	@Test
	void responseIsAssertedOf() {
		assertThat(this.client.get().uri("/found").exchange()).isAllowed().hasRemaining("search", 4);
		assertThat(this.client.get().uri("/rejected").exchange()).isRateLimited()
			.hasRetryAfter(Duration.ofMinutes(1))
			.hasViolatedPolicies("search");
	}

	@Test
	void responseWhoseBodyWasReadIsAssertedOf() {
		assertThat(this.client.get().uri("/rejected").exchange().expectBody(String.class).returnResult())
			.isRateLimited()
			.hasViolatedPolicies("search");
	}

	@Test
	void failureShowsTheResponse() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> assertThat(this.client.get().uri("/found").exchange()).isRateLimited())
			.withMessageContaining("status 200")
			.withMessageContaining("found");
	}

}
