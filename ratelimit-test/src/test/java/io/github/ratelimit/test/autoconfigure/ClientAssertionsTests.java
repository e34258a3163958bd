package io.github.ratelimit.test.autoconfigure;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatusCode;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.test.web.servlet.client.assertj.RestTestClientResponse;
import org.springframework.web.client.RestClient;

import static io.github.ratelimit.test.assertj.RateLimitAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every client's response can be asserted of, and Spring's assertions stay. Limits are on
 * in every test anew, because the annotation is nearer than the property.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "ratelimit.enabled=false")
@AutoConfigureMockMvc
@AutoConfigureRateLimit(manualClock = true)
class ClientAssertionsTests {

	@LocalServerPort
	private int port;

	private String address;

	@BeforeEach
	void useUp() {
		this.address = "http://localhost:" + this.port;
		assertThat(RestClient.create(this.address).get().uri("/search").retrieve().toEntity(String.class)).isAllowed()
			.hasRemaining("SearchController.search", 0);
	}

	@Test
	void mockMvcTester(@Autowired MockMvcTester mvc) {
		assertThat(mvc.get().uri("/history?user=me")).hasStatusOk().isAllowed().bodyText().isEqualTo("me");
		MvcTestResult result = mvc.get().uri("/history?user=me").exchange();
		assertThat(result).isRateLimited()
			.hasRetryAfter(Duration.ofHours(1))
			.hasRemaining("SearchController.history", 0)
			.hasViolatedPolicies("SearchController.history")
			.hasStatus(429)
			.bodyJson()
			.extractingPath("$.status")
			.isEqualTo(429);
	}

	@Test
	void restTestClient() {
		RestTestClient client = RestTestClient.bindToServer().baseUrl(this.address).build();
		assertThat(client.get().uri("/search").exchange()).isRateLimited()
			.hasRetryAfter(Duration.ofHours(1))
			.hasViolatedPolicies("SearchController.search");
		assertThat(client.get().uri("/search").exchange().expectBody(String.class).returnResult()).isRateLimited()
			.hasViolatedPolicies("SearchController.search");
		assertThat(RestTestClientResponse.from(client.get().uri("/search").exchange())).hasStatus(429);
	}

	@Test
	void restClient() {
		assertThat(RestClient.builder()
			.baseUrl(this.address)
			.defaultStatusHandler(HttpStatusCode::isError, (request, response) -> {
			})
			.build()
			.get()
			.uri("/search")
			.retrieve()
			.toEntity(byte[].class)).isRateLimited().hasViolatedPolicies("SearchController.search");
	}

	@Test
	void httpClient() throws Exception {
		assertThat(HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create(this.address + "/search")).build(), BodyHandlers.ofString()))
			.isRateLimited()
			.hasRetryAfter(Duration.ofHours(1))
			.hasViolatedPolicies("SearchController.search");
	}

}
