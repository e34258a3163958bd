package io.github.ratelimit.actuate;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

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

	@Nested
	@TestPropertySource(properties = "management.endpoint.ratelimits.access=unrestricted")
	class UnrestrictedTests extends OnItsOwnPort {

		@Test
		void tokenIsForNoOtherOrigin() {
			client().get()
				.uri("/manage/limits/page/token")
				.header(HttpHeaders.ORIGIN, OTHER_ORIGIN)
				.exchange()
				.expectStatus()
				.isNoContent()
				.expectHeader()
				.doesNotExist(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN);
		}

		@Test
		void overridesThereUnderItsOwnPath() {
			post(POLICY, SHADOW).expectStatus().isCreated().expectHeader().exists(HttpHeaders.ETAG);
			client().get().uri(POLICY + "/override").exchange().expectStatus().isOk();
			post(POLICY, "{}").expectStatus()
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
			assertOnlyTheOtherOriginMayPost(POLICY);
		}

	}

	@Nested
	@TestPropertySource(properties = "management.endpoints.access.default=unrestricted")
	class UnrestrictedForAllEndpointsTests extends OnItsOwnPort {

		@Test
		void overridesAndResets() {
			assertWritable(client(), true);
			post(POLICY, SHADOW).expectStatus().isCreated();
			client().delete().uri(POLICY + "?key=me").exchange().expectStatus().isNoContent();
			client().delete().uri(POLICY + "/override").exchange().expectStatus().isNoContent();
		}

	}

	@Nested
	class ByDefaultTests extends OnItsOwnPort {

		@Test
		void neitherOverridesNorTakesBackNorResets() {
			assertChangesNothing(this);
			client().get().uri(POLICY + "/override").exchange().expectStatus().isNotFound();
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
		actuator.post(POLICY, SHADOW).expectStatus().isEqualTo(405);
		actuator.client().delete().uri(POLICY + "?key=me").exchange().expectStatus().isEqualTo(405);
		actuator.client().delete().uri(POLICY + "/override").exchange().expectStatus().isEqualTo(405);
		assertThat(actuator.registry.overrides().inForce()).isEmpty();
	}

	private static void assertWritable(RestTestClient client, boolean writable) {
		client.get().uri("/manage/limits").exchange().expectBody().jsonPath("$.writable").isEqualTo(writable);
	}

}
