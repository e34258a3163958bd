package io.github.ratelimit.test.assertj;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

import static io.github.ratelimit.test.assertj.RateLimitAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Each assertion about a response holds where it should, and fails with what was received
 * elsewhere.
 */
class RateLimitResponseAssertTests {

	private static final ResponseEntity<String> OK = ResponseEntity.ok()
		.header("RateLimit", "\"a \\\"b\\\", c\";r=7;t=3, \"login\";r=0;t=12", "\"next\";r=1")
		.header("Server", "secret")
		.body("found");

	private static final ResponseEntity<String> REJECTED = ResponseEntity.status(429)
		.header("Retry-After", "12")
		.header("ratelimit", "\"login-1m\";r=0;t=12")
		.contentType(MediaType.APPLICATION_PROBLEM_JSON)
		.body("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\",\"status\":429,"
				+ "\"violated-policies\":[\"login-1m\", \"a \\\"b]\\\"\"]}");

	private static final ResponseEntity<byte[]> BANNED = ResponseEntity.status(429)
		.body("{ \"type\" : \"https://iana.org/assignments/http-problem-types#abnormal-usage-detected\" }".getBytes());

	private static final ResponseEntity<Void> UNAVAILABLE = ResponseEntity.status(503).build();

	static Stream<Arguments> assertions() {
		return Stream.of(
				failing("isRateLimited", REJECTED, OK, RateLimitResponseAssert::isRateLimited, "with the status 429"),
				failing("isAllowed", OK, REJECTED, RateLimitResponseAssert::isAllowed, "than 429 and 503"),
				failing("isAllowed", OK, UNAVAILABLE, RateLimitResponseAssert::isAllowed, "than 429 and 503"),
				failing("isBanned", BANNED, REJECTED, RateLimitResponseAssert::isBanned, "abnormal-usage-detected"),
				failing("isBanned", BANNED, UNAVAILABLE, RateLimitResponseAssert::isBanned, "because of a ban"),
				failing("isUnavailable", UNAVAILABLE, OK, RateLimitResponseAssert::isUnavailable, "the status 503"),
				failing("hasRetryAfter", REJECTED, OK, (response) -> response.hasRetryAfter(Duration.ofMillis(11_001)),
						"Retry-After: 12"),
				failing("hasRetryAfter", REJECTED, BANNED, (response) -> response.hasRetryAfter(Duration.ofSeconds(12)),
						"Retry-After: 12"),
				failing("hasViolatedPolicies", REJECTED, BANNED,
						(response) -> response.hasViolatedPolicies("a \"b]\"", "login-1m"), "[a \"b]\", login-1m]"),
				failing("hasRemaining", OK, REJECTED, (response) -> response.hasRemaining("login", 0),
						"0 remaining of \"login\""),
				failing("hasRemaining", OK, BANNED, (response) -> response.hasRemaining("a \"b\", c", 7),
						"7 remaining of \"a \"b\", c\""));
	}

	private static Arguments failing(String name, ResponseEntity<?> holds, ResponseEntity<?> fails,
			Consumer<RateLimitResponseAssert> assertion, String message) {
		return arguments(name, holds, fails, assertion, message);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("assertions")
	void holdsOrFails(String name, ResponseEntity<?> holds, ResponseEntity<?> fails,
			Consumer<RateLimitResponseAssert> assertion, String message) {
		assertion.accept(assertThat(holds));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertion.accept(assertThat(fails)))
			.withMessageContaining(message)
			.withMessageContaining("status " + fails.getStatusCode().value());
	}

	@Test
	void otherNumbersAndNamesFail() {
		fails(() -> assertThat(REJECTED).hasRetryAfter(Duration.ofSeconds(11)));
		fails(() -> assertThat(REJECTED).hasRetryAfter(Duration.ofSeconds(13)));
		fails(() -> assertThat(REJECTED).hasViolatedPolicies("login-1m"));
		fails(() -> assertThat(REJECTED).hasViolatedPolicies("login-1m", "other"));
		fails(() -> assertThat(REJECTED).hasViolatedPolicies());
		fails(() -> assertThat(OK).hasRemaining("next", 2));
		fails(() -> assertThat(OK).hasRemaining("Next", 1));
	}

	private static void fails(Runnable assertion) {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(assertion::run);
	}

	@Test
	void failureShowsStatusFieldsAboutLimitsAndTheBody() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> assertThat(OK).as("second login").isRateLimited())
			.withMessage("""
					[second login]\s
					Expected response
					  to be rejected by a rate limit, with the status 429
					but it was
					  status 200
					  RateLimit: "a \\"b\\", c";r=7;t=3, "login";r=0;t=12, "next";r=1

					  found""");
	}

	@Test
	void failureShowsTheBeginningOfALongBody() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> assertThat(ResponseEntity.ok("%s" + "x".repeat(10_000))).isBanned())
			.satisfies((error) -> assertThat(error.getMessage()).endsWith("  %s" + "x".repeat(298) + "…"));
	}

	@Test
	void bodyOfAnySizeCanBeAsserted() {
		String text = "a\\n".repeat(100_000);
		ResponseEntity<String> large = ResponseEntity
			.ok("{\"type\":\"" + text + "\",\"violated-policies\":[" + "\"b\",".repeat(100_000) + "\"" + text + "\"");
		fails(() -> assertThat(large).hasViolatedPolicies("b"));
		fails(() -> assertThat(ResponseEntity.status(429).body(large.getBody())).isBanned());
	}

	@Test
	void textOfTheTestReplacesThatOfTheFailure() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> assertThat(OK).withFailMessage("too many logins").isRateLimited())
			.withMessage("too many logins");
	}

}
