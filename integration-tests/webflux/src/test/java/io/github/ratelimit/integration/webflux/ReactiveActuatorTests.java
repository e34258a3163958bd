package io.github.ratelimit.integration.webflux;

import java.time.Duration;

import io.github.ratelimit.RateLimiterRegistry;
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
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoint's page, overrides and simulations where WebFlux serves the actuator, as
 * where Spring MVC does. A test ends without an override.
 */
class ReactiveActuatorTests {

	private static final String API = "/api";

	private static final String OVERRIDE = API + "/override";

	private static ConfigurableApplicationContext application;

	private static WebTestClient client;

	@BeforeAll
	static void start() {
		application = new SpringApplicationBuilder(Application.class).web(WebApplicationType.REACTIVE)
			.run("--server.port=0", "--server.address=127.0.0.1", "--spring.main.banner-mode=off",
					"--management.endpoints.web.exposure.include=ratelimits",
					"--management.endpoint.ratelimits.access=unrestricted", "--ratelimit.policies.api.key='all'",
					"--ratelimit.policies.api.limit=100", "--ratelimit.policies.api.window=1h");
		client = WebTestClient.bindToServer()
			.baseUrl("http://127.0.0.1:" + application.getEnvironment().getRequiredProperty("local.server.port")
					+ "/actuator/ratelimits")
			.responseTimeout(Duration.ofMinutes(1))
			.build();
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@CsvSource({ "/page, text/html;charset=UTF-8", "/page/page.css, text/css;charset=UTF-8",
			"/page/page.js, text/javascript;charset=UTF-8" })
	void servesTheFilesOfThePageWithTheirTypes(String path, String type) {
		assertThat(body(get(path).expectStatus().isOk().expectHeader().valueEquals("Content-Type", type))).isNotEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/page/LICENSES.txt", "/page/token", "/unknown/history" })
	void servesNothingElse(String path) {
		get(path).expectStatus().isNotFound();
	}

	@Test
	void pageIsInNoFrameAndReadAgainOnlyIfItHasChanged() {
		HttpHeaders headers = get("/page").expectHeader()
			.value("Content-Security-Policy", (policy) -> assertThat(policy).contains("frame-ancestors 'none'"))
			.expectHeader()
			.valueEquals("Cache-Control", "no-cache")
			.expectBody()
			.returnResult()
			.getResponseHeaders();
		client.get().uri("/page").header("If-None-Match", headers.getETag()).exchange().expectStatus().isNotModified();
		get("").expectHeader().valueEquals("Cache-Control", "no-store");
	}

	@Test
	void tellsWhatAPolicyDecidedLately() {
		assertThat(body(get(API + "/history"))).contains("\"policy\":\"api\"", "\"wouldBeRejected\":[");
	}

	@Test
	void overrideIsPutSeenAndTakenBack() {
		post("?key=acme", "{\"limits\": [{\"limit\": 10, \"window\": \"1m\"}], \"reason\": \"a test\"}").expectStatus()
			.isCreated()
			.expectHeader()
			.exists("ETag")
			.expectBody()
			.jsonPath("$.limits[0].limit")
			.isEqualTo(10);
		assertThat(remaining("acme")).isEqualTo(10);
		assertThat(remaining("other")).isEqualTo(100);
		get(OVERRIDE + "?key=acme").expectStatus().isOk().expectBody().jsonPath("$.reason").isEqualTo("a test");
		get(OVERRIDE).expectStatus().isNotFound();
		delete(OVERRIDE + "?key=acme").expectStatus().isNoContent();
		delete(OVERRIDE + "?key=acme").expectStatus().isNotFound();
		assertThat(remaining("acme")).isEqualTo(100);
	}

	@Test
	void policyIsOverriddenOnlyWhereTheVersionIsTheExpectedOne() {
		post("", "{\"mode\": \"shadow\"}", "If-Match", "\"0\"").expectStatus().isCreated();
		post("", "{\"mode\": \"enforce\"}", "If-Match", "\"0\"").expectStatus()
			.isEqualTo(412)
			.expectBody()
			.jsonPath("$.current.mode")
			.isEqualTo("shadow");
		delete(OVERRIDE + "?version=77").expectStatus().isEqualTo(412);
		delete(OVERRIDE).expectStatus().isNoContent();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			{"limits": [{"limit": 0, "window": "1m"}]} | $.limits[0].limit
			{"limits": "none"}                         | $.limits
			""")
	void mistakeIsAProblemAndChangesNothing(String body, String path) {
		post("", body).expectStatus()
			.isBadRequest()
			.expectHeader()
			.contentType("application/problem+json")
			.expectBody()
			.jsonPath("$.path")
			.isEqualTo(path);
		get(OVERRIDE).expectStatus().isNotFound();
	}

	@Test
	void bodyThatIsTooLongOrNoneIsRefused() {
		post("", "{\"reason\": \"" + "x".repeat(1_000_000) + "\"}").expectStatus().is4xxClientError();
		post("", "").expectStatus().is4xxClientError();
		get(OVERRIDE).expectStatus().isNotFound();
	}

	@Test
	void simulationIsComputed() {
		client.post()
			.uri("/simulate")
			.contentType(MediaType.APPLICATION_JSON)
			.bodyValue("{\"limits\": [{\"limit\": 1, \"window\": \"1m\"}], \"gaps\": [0, 1]}")
			.exchange()
			.expectStatus()
			.isOk();
	}

	private static long remaining(String key) {
		return application.getBean(RateLimiterRegistry.class).peek("api", key).remaining();
	}

	private static WebTestClient.ResponseSpec post(String query, String body, String... headers) {
		WebTestClient.RequestBodySpec request = client.post().uri(API + query).contentType(MediaType.APPLICATION_JSON);
		for (int i = 0; i < headers.length; i += 2) {
			request.header(headers[i], headers[i + 1]);
		}
		return request.bodyValue(body).exchange();
	}

	private static WebTestClient.ResponseSpec get(String path) {
		return client.get().uri(path).header("Accept", "text/html,*/*;q=0.1").exchange();
	}

	private static WebTestClient.ResponseSpec delete(String path) {
		return client.method(HttpMethod.DELETE).uri(path).exchange();
	}

	private static String body(WebTestClient.ResponseSpec answer) {
		return answer.expectBody(String.class).returnResult().getResponseBody();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
