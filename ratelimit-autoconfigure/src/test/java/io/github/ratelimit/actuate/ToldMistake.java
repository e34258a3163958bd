package io.github.ratelimit.actuate;

import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is answered to a mistake in what was sent to an operation.
 */
final class ToldMistake {

	/* However much was sent. */
	private static final int LONGEST = 2000;

	private ToldMistake() {
	}

	/**
	 * Checks an answer.
	 * @param answer the answer
	 * @param path where the mistake is
	 * @param detail a part of what is told of it
	 * @param action a part of what to do about it, or {@code null} for anything
	 */
	static void check(RestTestClient.ResponseSpec answer, String path, String detail, String action) {
		byte[] body = answer.expectStatus()
			.isBadRequest()
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.expectBody()
			.jsonPath("$.status")
			.isEqualTo(400)
			.jsonPath("$.path")
			.isEqualTo(path)
			.jsonPath("$.detail")
			.value(String.class, (told) -> assertThat(told).contains(detail))
			.jsonPath("$.action")
			.value(String.class, (told) -> assertThat(told).contains((action != null) ? action : ""))
			.returnResult()
			.getResponseBody();
		assertThat(body).hasSizeLessThan(LONGEST);
	}

}
