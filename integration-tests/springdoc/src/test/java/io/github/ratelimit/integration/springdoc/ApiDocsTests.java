package io.github.ratelimit.integration.springdoc;

import io.github.ratelimit.web.servlet.RateLimitRejectionHandler;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;

/**
 * What the application's clients read about its limits.
 */
@SpringBootTest(classes = Application.class, webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "ratelimit.policies.api.limits[0].limit=10", "ratelimit.policies.api.limits[0].window=1m",
				"ratelimit.rules[0].path=/api/**", "ratelimit.rules[0].policy=api", "ratelimit.rules[1].path=/one/*",
				"ratelimit.rules[1].methods=GET", "ratelimit.rules[1].policy=api",
				"ratelimit.rules[2].path=/number/{id:[0-9]+}", "ratelimit.rules[2].policy=api",
				"ratelimit.policies.tried.limits[0].limit=10", "ratelimit.policies.tried.limits[0].window=1m",
				"ratelimit.policies.tried.mode=shadow", "ratelimit.rules[3].path=/tried/*",
				"ratelimit.rules[3].policy=tried" })
@AutoConfigureRestTestClient
class ApiDocsTests {

	private static final String REJECTION = ".responses['429']";

	@Autowired
	private RestTestClient client;

	@ParameterizedTest
	@ValueSource(
			strings = { "$.paths['/annotated'].get", "$.paths['/api/{id}/items'].get", "$.paths['/one/{id}'].get" })
	void limitedOperationHasTheRejectionAndTheHeaderFields(String operation) {
		document().jsonPath(operation + REJECTION + ".content['application/problem+json'].schema['$ref']")
			.isEqualTo("#/components/schemas/RateLimitProblem")
			.jsonPath(operation + REJECTION + ".headers.Retry-After.schema.type")
			.isEqualTo("integer")
			.jsonPath(operation + REJECTION + ".headers.RateLimit.schema.type")
			.isEqualTo("string")
			.jsonPath(operation + ".responses['200'].headers.RateLimit-Policy")
			.exists()
			.jsonPath(operation + ".responses['200'].headers.X-RateLimit-Remaining.schema.type")
			.isEqualTo("integer")
			.jsonPath(operation + ".responses['200'].headers.Retry-After")
			.doesNotExist()
			.jsonPath("$.components.schemas.RateLimitProblem.properties.violated-policies.type")
			.isEqualTo("array");
	}

	@Test
	void whatAHandlerIsGivenOfItsLimitsIsNoParameter() {
		document().jsonPath("$.paths['/informed'].get.responses['200']")
			.exists()
			.jsonPath("$.paths['/informed'].get.parameters")
			.doesNotExist();
	}

	@ParameterizedTest
	@ValueSource(strings = { "$.paths['/free'].get", "$.paths['/one/{id}'].post", "$.paths['/number/{id}'].get",
			"$.paths['/tried'].get", "$.paths['/tried/by-rule'].get", "$.paths['/informed'].get" })
	void operationThatIsNotSurelyLimitedHasNeither(String operation) {
		document().jsonPath(operation + ".responses['200']")
			.exists()
			.jsonPath(operation + REJECTION)
			.doesNotExist()
			.jsonPath(operation + ".responses['200'].headers")
			.doesNotExist()
			.jsonPath(operation + ".responses['409']")
			.exists()
			.jsonPath(operation + ".responses['409'].headers")
			.doesNotExist();
	}

	@Test
	void operationWhoseFallbackAnswersRejectionsHasTheHeaderFieldsAndNoRejection() {
		String operation = "$.paths['/cached'].get";
		document().jsonPath(operation + REJECTION)
			.doesNotExist()
			.jsonPath(operation + ".responses['200'].headers.RateLimit")
			.exists();
	}

	@ParameterizedTest
	@ValueSource(strings = { "$.paths['/partly-cached'].get", "$.paths['/api/cached'].get" })
	void operationOfWhichAnotherLimitHasNoFallbackHasTheRejection(String operation) {
		document().jsonPath(operation + REJECTION + ".headers.Retry-After").exists();
	}

	@Test
	void whatTheApplicationDocumentsItselfStays() {
		String rejection = "$.paths['/documented'].get" + REJECTION;
		document().jsonPath(rejection + ".description")
			.isEqualTo("Come back later")
			.jsonPath(rejection + ".headers.Retry-After")
			.exists();
	}

	private RestTestClient.BodyContentSpec document() {
		return this.client.get().uri("/v3/api-docs").exchange().expectStatus().isOk().expectBody();
	}

	@Nested
	@TestPropertySource(properties = "ratelimit.headers=x-rate-limit")
	class OneFamilyTests {

		@Test
		void onlyTheFieldsThatAreSentAreDocumented() {
			document().jsonPath("$.paths['/annotated'].get.responses['200'].headers.X-RateLimit-Limit")
				.exists()
				.jsonPath("$.paths['/annotated'].get.responses['200'].headers.RateLimit")
				.doesNotExist();
		}

	}

	@Nested
	@Import(OwnAnswer.class)
	class OwnAnswerTests {

		@Test
		void formatOfTheApplicationsOwnAnswerIsNotGuessed() {
			document().jsonPath("$.paths['/annotated'].get" + REJECTION + ".headers.Retry-After")
				.exists()
				.jsonPath("$.paths['/annotated'].get" + REJECTION + ".content")
				.doesNotExist()
				.jsonPath("$.components.schemas.RateLimitProblem")
				.doesNotExist();
		}

	}

	@Nested
	@TestPropertySource(properties = "ratelimit.springdoc.enabled=false")
	class TurnedOffTests {

		@Test
		void nothingIsDocumented() {
			document().jsonPath("$.paths['/annotated'].get" + REJECTION)
				.doesNotExist()
				.jsonPath("$.components.schemas.RateLimitProblem")
				.doesNotExist();
		}

	}

	@TestConfiguration(proxyBeanMethods = false)
	static class OwnAnswer {

		@Bean
		RateLimitRejectionHandler answer() {
			return (request, response, policy, decision) -> response.sendError(429);
		}

	}

}
