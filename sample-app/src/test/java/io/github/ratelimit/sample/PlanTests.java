package io.github.ratelimit.sample;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.test.autoconfigure.AutoConfigureRateLimit;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each plan has its limit.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "ratelimit.plans.timeout=10s")
@AutoConfigureRateLimit(manualClock = true)
class PlanTests {

	@LocalServerPort
	private int port;

	@Test
	void planOfTheKeyLimits() throws IOException, InterruptedException {
		assertThat(statuses("tiny", 6)).containsExactly(200, 200, 200, 200, 200, 429);
		assertThat(statuses("acme", 6)).containsOnly(200);
	}

	@Test
	void headerFieldsNameThePlansNumbers() throws IOException, InterruptedException {
		assertThat(answer("tiny")).anyMatch((line) -> line.contains("\"forecast\";q=5;w=60"));
		assertThat(answer("acme")).anyMatch((line) -> line.contains("\"forecast\";q=500;w=60"));
	}

	@Test
	void inventedKeysShareWhatTheAddressHas() throws IOException, InterruptedException {
		assertThat(statuses("one", 1)).containsExactly(200);
		assertThat(statuses("two", 2)).containsExactly(200, 429);
	}

	private List<Integer> statuses(String apiKey, int requests) throws IOException, InterruptedException {
		List<Integer> statuses = new ArrayList<>();
		for (int i = 0; i < requests; i++) {
			statuses.add(Integer.valueOf(answer(apiKey).get(0).substring("HTTP/1.1 ".length())));
		}
		return statuses;
	}

	private List<String> answer(String apiKey) throws IOException, InterruptedException {
		return new Curl(this.port).run(List.of("curl", "-si", "-H", "X-Api-Key: " + apiKey, "127.0.0.1:8080/forecast"));
	}

}
