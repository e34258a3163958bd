package io.github.ratelimit.integration.webflux;

import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.web.reactive.function.client.WebClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoint's page where WebFlux serves the actuator.
 */
class ReactivePageTests {

	private static ConfigurableApplicationContext application;

	@BeforeAll
	static void start() {
		application = new SpringApplicationBuilder(Application.class).web(WebApplicationType.REACTIVE)
			.run("--server.port=0", "--server.address=127.0.0.1",
					"--management.endpoints.web.exposure.include=ratelimits",
					"--ratelimit.policies.once.limits[0].limit=1", "--ratelimit.policies.once.limits[0].window=1d");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@CsvSource({ "page, text/html;charset=UTF-8", "page/page.css, text/css;charset=UTF-8",
			"page/page.js, text/javascript;charset=UTF-8" })
	void servesTheFilesOfThePageWithTheirTypes(String path, String type) {
		ResponseEntity<String> answer = get(path);
		assertThat(answer.getStatusCode().value()).isEqualTo(200);
		assertThat(answer.getHeaders().getFirst("Content-Type")).isEqualTo(type);
		assertThat(answer.getBody()).isNotEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "page/LICENSES.txt", "page/token", "unknown/history" })
	void servesNothingElse(String path) {
		assertThat(get(path).getStatusCode().value()).isEqualTo(404);
	}

	@Test
	void pageHasItsSecurityPolicyInside() {
		assertThat(get("page").getBody())
			.contains("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'self'");
	}

	@Test
	void tellsWhatAPolicyDecidedLately() {
		assertThat(get("once/history").getBody()).contains("\"policy\":\"once\"", "\"wouldBeRejected\":[");
	}

	private static ResponseEntity<String> get(String path) {
		return WebClient.create("http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port"))
			.get()
			.uri("/actuator/ratelimits/" + path)
			.header("Accept", "text/html,*/*;q=0.1")
			.exchangeToMono((answer) -> answer.toEntity(String.class))
			.block(Duration.ofMinutes(1));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
