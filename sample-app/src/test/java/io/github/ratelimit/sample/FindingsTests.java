package io.github.ratelimit.sample;

import java.io.IOException;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sample does what it seems to do.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class FindingsTests {

	@LocalServerPort
	private int port;

	@Test
	void nothingIsFound() throws IOException, InterruptedException {
		Curl curl = new Curl(this.port);
		curl.run(List.of("curl", "-si", "127.0.0.1:8080/forecast"));
		assertThat(curl.run(List.of("curl", "-si", "127.0.0.1:8080/actuator/ratelimits"))).startsWith("HTTP/1.1 200")
			.last()
			.asString()
			.contains("\"findings\":[]");
	}

}
