package io.github.ratelimit.actuate;

import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who may override, and where: on the actuator's own port and path.
 */
class OverrideAccessTests {

	private static final String POLICY = "/manage/limits/login";

	private static final String SHADOW = "{\"mode\": \"shadow\"}";

	@SpringBootTest(classes = ActuatorApplication.class, webEnvironment = WebEnvironment.RANDOM_PORT,
			properties = { "server.address=127.0.0.1", "management.server.address=127.0.0.1",
					"management.server.port=0", "management.endpoints.web.exposure.include=ratelimits",
					"management.endpoints.web.base-path=/manage",
					"management.endpoints.web.path-mapping.ratelimits=limits",
					"management.endpoints.web.cors.allowed-origins=https://ops.example",
					"management.endpoints.web.cors.allowed-methods=GET,POST",
					"ratelimit.policies.login.limits[0].limit=1", "ratelimit.policies.login.limits[0].window=1m",
					"ratelimit.policies.queue.limits[0].limit=1", "ratelimit.policies.queue.limits[0].window=1m" })
	abstract static class OnItsOwnPort {

		@Autowired
		RateLimiterRegistry registry;

		@LocalManagementPort
		int port;

		RestTestClient client() {
			return RestTestClient.bindToServer().baseUrl("http://127.0.0.1:" + this.port).build();
		}

		RestTestClient.ResponseSpec post() {
			return client().post().uri(POLICY).contentType(MediaType.APPLICATION_JSON).body(SHADOW).exchange();
		}

	}

	@Nested
	class UnrestrictedTests extends OnItsOwnPort {

		@Test
		void tokenIsForNoOtherOrigin() {
			client().get()
				.uri("/manage/limits/page/token")
				.header(HttpHeaders.ORIGIN, "https://ops.example")
				.exchange()
				.expectStatus()
				.isNoContent()
				.expectHeader()
				.doesNotExist(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN);
		}

		@Test
		void overridesThereUnderItsOwnPath() {
			post().expectStatus().isCreated().expectHeader().exists(HttpHeaders.ETAG);
			client().get().uri(POLICY + "/override").exchange().expectStatus().isOk();
			client().post()
				.uri(POLICY)
				.contentType(MediaType.APPLICATION_JSON)
				.body("{}")
				.exchange()
				.expectStatus()
				.isBadRequest()
				.expectHeader()
				.contentType(MediaType.APPLICATION_PROBLEM_JSON)
				.expectBody()
				.jsonPath("$.path")
				.isEqualTo("$.limits");
			client().delete().uri(POLICY + "/override").exchange().expectStatus().isNoContent();
		}

		@Test
		void otherOriginsMayAskAsFarAsTheActuatorsConfigurationSays() {
			client().options()
				.uri(POLICY)
				.header(HttpHeaders.ORIGIN, "https://ops.example")
				.header(HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD, "POST")
				.exchange()
				.expectStatus()
				.isOk()
				.expectHeader()
				.valueEquals(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, "https://ops.example");
			client().options()
				.uri(POLICY)
				.header(HttpHeaders.ORIGIN, "https://evil.example")
				.header(HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD, "POST")
				.exchange()
				.expectStatus()
				.isForbidden();
		}

	}

	@Nested
	@TestPropertySource(properties = "management.endpoint.ratelimits.access=read-only")
	class ReadOnlyTests extends OnItsOwnPort {

		@Test
		void neitherOverridesNorTakesBack() {
			post().expectStatus().isEqualTo(405);
			client().delete().uri(POLICY + "/override").exchange().expectStatus().isEqualTo(405);
			client().get().uri(POLICY + "/override").exchange().expectStatus().isNotFound();
			assertThat(this.registry.overrides().inForce()).isEmpty();
		}

	}

	@Nested
	@TestPropertySource(properties = "management.endpoints.access.max-permitted=read-only")
	class ReadOnlyForAllEndpointsTests extends OnItsOwnPort {

		@Test
		void neitherOverridesNorTakesBack() {
			post().expectStatus().isEqualTo(405);
			client().delete().uri(POLICY + "/override").exchange().expectStatus().isEqualTo(405);
			assertThat(this.registry.overrides().inForce()).isEmpty();
		}

	}

}
