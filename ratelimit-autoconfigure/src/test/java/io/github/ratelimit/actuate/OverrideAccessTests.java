package io.github.ratelimit.actuate;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpHeaders;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who may override, and where: on the actuator's own port and path.
 */
class OverrideAccessTests {

	private static final String POLICY = "/manage/limits/login";

	private static final String SHADOW = "{\"mode\": \"shadow\"}";

	@Nested
	@TestPropertySource(properties = "management.endpoint.ratelimits.access=unrestricted")
	class UnrestrictedTests extends OnItsOwnPort {

		@Test
		void tokenIsForNoOtherOrigin() {
			Answers.check(
					client().get().uri("/manage/limits/page/token").header(HttpHeaders.ORIGIN, OTHER_ORIGIN).exchange(),
					204, HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, null);
		}

		@Test
		void overridesThereUnderItsOwnPath() {
			post(POLICY, SHADOW).expectStatus().isCreated().expectHeader().exists(HttpHeaders.ETAG);
			Answers.check(client().get().uri(POLICY + "/override").exchange(), 200);
			Answers.check(post(POLICY, "{}"), 400, "Content-Type", "application/problem+json", "$.path", "$.limits");
			Answers.check(client().delete().uri(POLICY + "/override").exchange(), 204);
		}

		@Test
		void otherOriginsMayAskAsFarAsTheActuatorsConfigurationSays() {
			assertOnlyTheOtherOriginMayPost(POLICY);
		}

	}

	@Nested
	@TestPropertySource(properties = "management.endpoints.access.default=unrestricted")
	class UnrestrictedForAllEndpointsTests extends OnItsOwnPort {

		@Test
		void overridesAndResets() {
			assertWritable(client(), true);
			Answers.check(post(POLICY, SHADOW), 201);
			Answers.check(client().delete().uri(POLICY + "?key=me").exchange(), 204);
			Answers.check(client().delete().uri(POLICY + "/override").exchange(), 204);
		}

	}

	@Nested
	class ByDefaultTests extends OnItsOwnPort {

		@Test
		void neitherOverridesNorTakesBackNorResets() {
			assertChangesNothing(this);
			Answers.check(client().get().uri(POLICY + "/override").exchange(), 404);
		}

	}

	@Nested
	@TestPropertySource(properties = { "management.endpoint.ratelimits.access=unrestricted",
			"management.endpoints.access.max-permitted=read-only" })
	class ReadOnlyForAllEndpointsTests extends OnItsOwnPort {

		@Test
		void neitherOverridesNorTakesBackNorResets() {
			assertChangesNothing(this);
		}

	}

	private static void assertChangesNothing(OnItsOwnPort actuator) {
		assertWritable(actuator.client(), false);
		Answers.check(actuator.post(POLICY, SHADOW), 405);
		Answers.check(actuator.client().delete().uri(POLICY + "?key=me").exchange(), 405);
		Answers.check(actuator.client().delete().uri(POLICY + "/override").exchange(), 405);
		assertThat(actuator.registry.overrides().inForce()).isEmpty();
	}

	private static void assertWritable(RestTestClient client, boolean writable) {
		client.get().uri("/manage/limits").exchange().expectBody().jsonPath("$.writable").isEqualTo(writable);
	}

}
