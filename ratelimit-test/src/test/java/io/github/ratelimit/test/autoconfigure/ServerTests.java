package io.github.ratelimit.test.autoconfigure;

import org.junit.jupiter.api.RepeatedTest;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.client.RestTestClient;

/**
 * Limits are on again, because the annotation is nearer than the property.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "ratelimit.enabled=false")
@AutoConfigureRestTestClient
@AutoConfigureRateLimit
class ServerTests {

	@Autowired
	private RestTestClient client;

	@RepeatedTest(2)
	void secondRequestToTheServerIsRejectedInEveryTestAnew() {
		this.client.get().uri("/search").exchange().expectStatus().isOk();
		this.client.get()
			.uri("/search")
			.exchange()
			.expectStatus()
			.isEqualTo(HttpStatus.TOO_MANY_REQUESTS)
			.expectHeader()
			.exists("Retry-After");
	}

}
