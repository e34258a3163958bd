package io.github.ratelimit.actuate;

import java.util.List;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpHeaders;
import org.springframework.test.context.TestPropertySource;

import static io.github.ratelimit.actuate.Answers.check;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.http.HttpMethod.DELETE;
import static org.springframework.http.HttpMethod.GET;

/**
 * Who may look, simulate, override and reset, and where: on the actuator's own port and
 * path, which no rule matches.
 */
class EndpointAccessTests {

	@Nested
	@TestPropertySource(properties = "management.endpoint.ratelimits.access=unrestricted")
	class UnrestrictedTests extends OnItsOwnPort {

		@Test
		void ruleForAPathOfTheApplicationMatchesNothingThere() {
			check(application("/login"), 200);
			check(application("/login"), 429);
			for (int i = 0; i < 3; i++) {
				check(send(GET, POLICY + "?key=127.0.0.1"), 200, "RateLimit", null, "$.standing.remaining", 0);
			}
		}

		@Test
		void overridesAndSimulatesThereUnderItsOwnPath() {
			assertMayChange(this);
			post(POLICY, SHADOW).expectStatus().isCreated().expectHeader().exists(HttpHeaders.ETAG);
			check(send(GET, POLICY + "/override"), 200);
			check(send(DELETE, POLICY + "/override"), 204);
			check(simulate(), 200, "$.limits[0].delays[1]", -1);
			for (String path : List.of(POLICY, SIMULATE)) {
				check(post(path, "{}"), 400, "Content-Type", "application/problem+json");
			}
		}

		@Test
		void otherOriginsMayAskAsFarAsTheActuatorsConfigurationSaysButGetNoToken() {
			for (String path : List.of(POLICY, SIMULATE)) {
				check(preflight(path, OTHER_ORIGIN), 200, HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, OTHER_ORIGIN);
				check(preflight(path, "https://evil.example"), 403);
			}
			check(getFromOtherOrigin("/manage/limits/page/token"), 204, HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, null);
		}

	}

	@Nested
	@TestPropertySource(properties = "management.endpoints.access.default=unrestricted")
	class UnrestrictedForAllEndpointsTests extends OnItsOwnPort {

		@Test
		void overridesAndResets() {
			assertMayChange(this);
		}

	}

	@Nested
	class ByDefaultTests extends OnItsOwnPort {

		@Test
		void simulatesButChangesNothing() {
			assertMayChangeNothing(this);
			check(simulate(), 200);
		}

	}

	@Nested
	@TestPropertySource(properties = { "management.endpoint.ratelimits.access=unrestricted",
			"management.endpoints.access.max-permitted=read-only" })
	class ReadOnlyForAllEndpointsTests extends OnItsOwnPort {

		@Test
		void changesNothing() {
			assertMayChangeNothing(this);
		}

	}

	@Nested
	@TestPropertySource(properties = "management.endpoint.ratelimits.access=none")
	class NoAccessTests extends OnItsOwnPort {

		@Test
		void doesNotSimulate() {
			check(simulate(), 404);
		}

	}

	@Nested
	@TestPropertySource(properties = "management.endpoints.web.exposure.include=info")
	class NotExposedTests extends OnItsOwnPort {

		@Test
		void doesNotSimulate() {
			check(simulate(), 404);
		}

	}

	private static void assertMayChange(OnItsOwnPort actuator) {
		check(actuator.send(GET, "/manage/limits"), 200, "$.writable", true);
		check(actuator.post(OnItsOwnPort.POLICY, OnItsOwnPort.SHADOW), 201);
		check(actuator.send(DELETE, OnItsOwnPort.POLICY + "?key=me"), 204);
		check(actuator.send(DELETE, OnItsOwnPort.POLICY + "/override"), 204);
	}

	private static void assertMayChangeNothing(OnItsOwnPort actuator) {
		check(actuator.send(GET, "/manage/limits"), 200, "$.writable", false);
		check(actuator.post(OnItsOwnPort.POLICY, OnItsOwnPort.SHADOW), 405);
		check(actuator.send(DELETE, OnItsOwnPort.POLICY + "?key=me"), 405);
		check(actuator.send(DELETE, OnItsOwnPort.POLICY + "/override"), 405);
		check(actuator.send(GET, OnItsOwnPort.POLICY + "/override"), 404);
		assertThat(actuator.registry.overrides().inForce()).isEmpty();
	}

}
