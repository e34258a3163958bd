package io.github.ratelimit.sample.gateway;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What goes through the gateway.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class SampleGatewayTests {

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	@LocalServerPort
	private int port;

	@Test
	void eachKeyMayCallTheServiceThreeTimesAtOnce() throws Exception {
		for (int left = 2; left >= 0; left--) {
			HttpResponse<String> answer = orders("acme");
			assertThat(answer.statusCode()).isEqualTo(200);
			assertThat(answer.body()).isEqualTo("No orders yet\n");
			assertThat(answer.headers().firstValue("X-RateLimit-Remaining")).hasValue(String.valueOf(left));
		}
		HttpResponse<String> rejection = orders("acme");
		assertThat(rejection.statusCode()).isEqualTo(429);
		assertThat(rejection.headers().firstValue("Retry-After")).hasValue("10");
		assertThat(rejection.body()).contains("\"violated-policies\":[\"orders\"]");
		assertThat(orders("other").statusCode()).isEqualTo(200);
	}

	private HttpResponse<String> orders(String key) throws IOException, InterruptedException {
		URI uri = URI.create("http://127.0.0.1:" + this.port + "/orders/open");
		return CLIENT.send(HttpRequest.newBuilder(uri).header("X-Api-Key", key).build(),
				HttpResponse.BodyHandlers.ofString());
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class StandingClock {

		@Bean
		ManualClock clock() {
			return ManualClock.atMidnight();
		}

	}

}
