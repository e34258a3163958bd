package io.github.ratelimit.actuate;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

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

	abstract static class OfSimulations extends OnItsOwnPort {

		RestTestClient.ResponseSpec simulate() {
			return post(SIMULATE, SIMULATION);
		}

		void assertSimulates() {
			simulate().expectStatus().isOk().expectBody().jsonPath("$.limits[0].delays[1]").isEqualTo(-1);
		}

	}

	@Nested
	@TestPropertySource(properties = "management.endpoint.ratelimits.access=unrestricted")
	class UnrestrictedTests extends OfSimulations {

		@Test
		void simulatesThereUnderItsOwnPath() {
			assertSimulates();
			post(SIMULATE, "{}").expectStatus()
				.isBadRequest()
				.expectHeader()
				.contentType(MediaType.APPLICATION_PROBLEM_JSON);
		}

		@Test
		void otherOriginsMayAskAsFarAsTheActuatorsConfigurationSays() {
			assertOnlyTheOtherOriginMayPost(SIMULATE);
		}

	}

	@Nested
	class ReadOnlyTests extends OfSimulations {

		@Test
		void simulates() {
			assertSimulates();
			post("/manage/limits/queue", "{\"mode\": \"shadow\"}").expectStatus().isEqualTo(405);
		}

	}

	@Nested
	@TestPropertySource(properties = "management.endpoint.ratelimits.access=none")
	class NoAccessTests extends OfSimulations {

		@Test
		void doesNotSimulate() {
			simulate().expectStatus().isNotFound();
		}

	}

	@Nested
	@TestPropertySource(properties = "management.endpoints.web.exposure.include=info")
	class NotExposedTests extends OfSimulations {

		@Test
		void doesNotSimulate() {
			simulate().expectStatus().isNotFound();
		}

	}

}
