package io.github.ratelimit.actuate;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;

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
			Answers.check(simulate(), 200, "$.limits[0].delays[1]", -1);
		}

	}

	@Nested
	@TestPropertySource(properties = "management.endpoint.ratelimits.access=unrestricted")
	class UnrestrictedTests extends OfSimulations {

		@Test
		void simulatesThereUnderItsOwnPath() {
			assertSimulates();
			Answers.check(post(SIMULATE, "{}"), 400, "Content-Type", "application/problem+json");
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
			Answers.check(post("/manage/limits/queue", "{\"mode\": \"shadow\"}"), 405);
		}

	}

	@Nested
	@TestPropertySource(properties = "management.endpoint.ratelimits.access=none")
	class NoAccessTests extends OfSimulations {

		@Test
		void doesNotSimulate() {
			Answers.check(simulate(), 404);
		}

	}

	@Nested
	@TestPropertySource(properties = "management.endpoints.web.exposure.include=info")
	class NotExposedTests extends OfSimulations {

		@Test
		void doesNotSimulate() {
			Answers.check(simulate(), 404);
		}

	}

}
