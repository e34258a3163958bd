package io.github.ratelimit.test.assertj;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitStanding;
import org.assertj.core.api.AssertProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.assertj.MvcTestResultAssert;
import org.springframework.test.web.servlet.client.RestTestClient;

/**
 * Entry point to assertions about rate limits. Import {@code assertThat} statically,
 * beside AssertJ's own.
 *
 * @since 0.1.0
 */
public final class RateLimitAssertions {

	private RateLimitAssertions() {
	}

	/**
	 * Begins assertions about a decision.
	 * @param decision the decision
	 * @return the assertions
	 */
	public static RateLimitDecisionAssert assertThat(RateLimitDecision decision) {
		return RateLimitDecisionAssert.assertThat(decision);
	}

	/**
	 * Begins assertions about what a key has left.
	 * @param standing what {@code peek} tells
	 * @return the assertions
	 */
	public static RateLimitStandingAssert assertThat(RateLimitStanding standing) {
		return RateLimitStandingAssert.assertThat(standing);
	}

	/**
	 * Begins assertions about a response of {@code MockMvcTester}.
	 * @param result the request, which is then performed, or its result
	 * @return the assertions, with those of Spring about any response
	 */
	public static RateLimitMvcAssert assertThat(AssertProvider<MvcTestResultAssert> result) {
		return new RateLimitMvcAssert(result.assertThat());
	}

	/**
	 * Begins assertions about a response of {@link RestTestClient}, whose body is then
	 * read.
	 * @param response the response
	 * @return the assertions
	 */
	public static RateLimitResponseAssert assertThat(RestTestClient.ResponseSpec response) {
		return assertThat(response.returnResult(byte[].class));
	}

	/**
	 * Begins assertions about a response of {@link RestTestClient}.
	 * @param result the response, whose body was read
	 * @return the assertions
	 */
	public static RateLimitResponseAssert assertThat(
			org.springframework.test.web.servlet.client.ExchangeResult result) {
		return response(result, result.getStatus().value(), result.getResponseHeaders(),
				result.getResponseBodyContent());
	}

	/**
	 * Begins assertions about a response of {@link WebTestClient}, whose body is then
	 * read.
	 * @param response the response
	 * @return the assertions
	 */
	public static RateLimitResponseAssert assertThat(WebTestClient.ResponseSpec response) {
		return assertThat(response.expectBody().returnResult());
	}

	/**
	 * Begins assertions about a response of {@link WebTestClient}.
	 * @param result the response, whose body was read
	 * @return the assertions
	 */
	public static RateLimitResponseAssert assertThat(
			org.springframework.test.web.reactive.server.ExchangeResult result) {
		return response(result, result.getStatus().value(), result.getResponseHeaders(),
				result.getResponseBodyContent());
	}

	/**
	 * Begins assertions about a response of Spring's other clients.
	 * @param response the response
	 * @return the assertions
	 */
	public static RateLimitResponseAssert assertThat(ResponseEntity<?> response) {
		return response(response, response.getStatusCode().value(), response.getHeaders(), response.getBody());
	}

	/**
	 * Begins assertions about a response of Java's own client.
	 * @param response the response
	 * @return the assertions
	 */
	public static RateLimitResponseAssert assertThat(HttpResponse<?> response) {
		return response(response, response.statusCode(), response.headers().map(), response.body());
	}

	private static RateLimitResponseAssert response(Object response, int status, HttpHeaders headers,
			@Nullable Object body) {
		Map<String, List<String>> fields = headers.headerSet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
		return response(response, status, fields, body);
	}

	private static RateLimitResponseAssert response(Object response, int status, Map<String, List<String>> fields,
			@Nullable Object body) {
		return new RateLimitResponseAssert(response, new Answer(status, fields, body));
	}

}
