package io.github.ratelimit.integration.webflux;

import java.time.Duration;

import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Overrides over an actuator that WebFlux serves, which takes the JSON object as a text.
 */
class ReactiveOverrideTests {

	private static final String API = "/actuator/ratelimits/api";

	private static final String OVERRIDE = API + "/override";

	private ConfigurableApplicationContext context;

	private WebTestClient client;

	@BeforeEach
	void start() {
		this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.REACTIVE)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
					"management.endpoints.web.exposure.include=ratelimits",
					"management.endpoint.ratelimits.access=unrestricted", "ratelimit.policies.api.key='all'",
					"ratelimit.policies.api.limit=100", "ratelimit.policies.api.window=1h")
			.run();
		this.client = WebTestClient.bindToServer()
			.baseUrl("http://127.0.0.1:" + this.context.getEnvironment().getRequiredProperty("local.server.port"))
			.responseTimeout(Duration.ofMinutes(1))
			.build();
	}

	@AfterEach
	void stop() {
		this.context.close();
	}

	@Test
	void overrideIsPutSeenAndTakenBack() {
		post("?key=acme",
				"{\\\"limits\\\": [{\\\"limit\\\": 10, \\\"window\\\": \\\"1m\\\"}], \\\"reason\\\": \\\"a test\\\"}")
			.expectStatus()
			.isCreated()
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
		post("", "{\\\"mode\\\": \\\"shadow\\\"}\", \"version\": \"0").expectStatus().isCreated();
		post("", "{\\\"mode\\\": \\\"enforce\\\"}\", \"version\": \"0").expectStatus()
			.isEqualTo(412)
			.expectBody()
			.jsonPath("$.current.mode")
			.isEqualTo("shadow");
		delete(OVERRIDE + "?version=77").expectStatus().isEqualTo(412);
		delete(OVERRIDE).expectStatus().isNoContent();
	}

	@Test
	void mistakeIsAProblemAndChangesNothing() {
		post("", "{\\\"limits\\\": [{\\\"limit\\\": 0, \\\"window\\\": \\\"1m\\\"}]}").expectStatus()
			.isBadRequest()
			.expectHeader()
			.contentType("application/problem+json")
			.expectBody()
			.jsonPath("$.path")
			.isEqualTo("$.limits[0].limit");
		get(OVERRIDE).expectStatus().isNotFound();
	}

	private long remaining(String key) {
		return this.context.getBean(RateLimiterRegistry.class).peek("api", key).remaining();
	}

	private WebTestClient.ResponseSpec post(String query, String text) {
		return this.client.post()
			.uri(API + query)
			.contentType(MediaType.APPLICATION_JSON)
			.bodyValue("{\"override\": \"" + text + "\"}")
			.exchange();
	}

	private WebTestClient.ResponseSpec get(String path) {
		return this.client.get().uri(path).exchange();
	}

	private WebTestClient.ResponseSpec delete(String path) {
		return this.client.method(HttpMethod.DELETE).uri(path).exchange();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
