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
 * Where simulations are offered: on the actuator's own port and path, also to those who
 * may only read.
 */
class SimulationAccessTests {

	private static final String SIMULATE = "/manage/limits/simulate";

	private static final String SIMULATION = "{\"limits\": [{\"limit\": 1, \"window\": \"1m\"}], \"gaps\": [0, 0]}";

	@SpringBootTest(classes = ActuatorApplication.class, webEnvironment = WebEnvironment.RANDOM_PORT,
			properties = { "server.address=127.0.0.1", "management.server.address=127.0.0.1",
					"management.server.port=0", "management.endpoints.web.exposure.include=ratelimits,info",
					"management.endpoints.web.base-path=/manage",
					"management.endpoints.web.path-mapping.ratelimits=limits",
					"management.endpoints.web.cors.allowed-origins=https://ops.example",
					"management.endpoints.web.cors.allowed-methods=GET,POST",
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
			return client().post().uri(SIMULATE).contentType(MediaType.APPLICATION_JSON).body(SIMULATION).exchange();
		}

		void assertSimulates() {
			post().expectStatus().isOk().expectBody().jsonPath("$.limits[0].delays[1]").isEqualTo(-1);
		}

	}

	@Nested
	class UnrestrictedTests extends OnItsOwnPort {

		@Test
		void simulatesThereUnderItsOwnPath() {
			assertSimulates();
			client().post()
				.uri(SIMULATE)
				.contentType(MediaType.APPLICATION_JSON)
				.body("{}")
				.exchange()
				.expectStatus()
				.isBadRequest()
				.expectHeader()
				.contentType(MediaType.APPLICATION_PROBLEM_JSON);
		}

		@Test
		void otherOriginsMayAskAsFarAsTheActuatorsConfigurationSays() {
			preflight("https://ops.example").expectStatus()
				.isOk()
				.expectHeader()
				.valueEquals(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, "https://ops.example");
			preflight("https://evil.example").expectStatus().isForbidden();
		}

		private RestTestClient.ResponseSpec preflight(String origin) {
			return client().options()
				.uri(SIMULATE)
				.header(HttpHeaders.ORIGIN, origin)
				.header(HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD, "POST")
				.exchange();
		}

	}

	@Nested
	@TestPropertySource(properties = "management.endpoint.ratelimits.access=read-only")
	class ReadOnlyTests extends OnItsOwnPort {

		@Test
		void simulates() {
			assertSimulates();
			client().post()
				.uri("/manage/limits/queue")
				.contentType(MediaType.APPLICATION_JSON)
				.body("{\"mode\": \"shadow\"}")
				.exchange()
				.expectStatus()
				.isEqualTo(405);
		}

	}

	@Nested
	@TestPropertySource(properties = "management.endpoint.ratelimits.access=none")
	class NoAccessTests extends OnItsOwnPort {

		@Test
		void doesNotSimulate() {
			post().expectStatus().isNotFound();
		}

	}

	@Nested
	@TestPropertySource(properties = "management.endpoints.web.exposure.include=info")
	class NotExposedTests extends OnItsOwnPort {

		@Test
		void doesNotSimulate() {
			post().expectStatus().isNotFound();
		}

	}

	@Nested
	@TestPropertySource(properties = { "ratelimit.policies.simulate.limits[0].limit=1",
			"ratelimit.policies.simulate.limits[0].window=1m" })
	class PolicyOfThatNameTests extends OnItsOwnPort {

		@Test
		void policyComesFirst() {
			post().expectStatus().isBadRequest().expectBody().jsonPath("$.path").isEqualTo("$.gaps");
			client().post()
				.uri(SIMULATE)
				.contentType(MediaType.APPLICATION_JSON)
				.body("{\"mode\": \"shadow\"}")
				.exchange()
				.expectStatus()
				.isCreated();
			assertThat(this.registry.overrides().inForce()).hasSize(1);
		}

	}

}
