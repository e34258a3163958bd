package io.github.ratelimit.actuate;

import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks what the endpoint answers.
 */
final class Answers {

	/* However much was sent. */
	private static final int LONGEST_PROBLEM = 2000;

	private Answers() {
	}

	/**
	 * Checks an answer.
	 * @param answer the answer
	 * @param status its status
	 * @param content names of header fields and JSON paths, each before its value, which
	 * is {@code null} for what is not there
	 */
	static void check(RestTestClient.ResponseSpec answer, int status, Object... content) {
		answer.expectStatus().isEqualTo(status);
		RestTestClient.BodyContentSpec body = answer.expectBody();
		for (int i = 0; i < content.length; i += 2) {
			String place = (String) content[i];
			Object value = content[i + 1];
			if (place.startsWith("$") && value != null) {
				body.jsonPath(place).isEqualTo(value);
			}
			else if (place.startsWith("$")) {
				body.jsonPath(place).doesNotExist();
			}
			else if (value != null) {
				answer.expectHeader().valueEquals(place, (String) value);
			}
			else {
				answer.expectHeader().doesNotExist(place);
			}
		}
	}

	/**
	 * Checks an answer to a mistake in what was sent.
	 * @param answer the answer
	 * @param path where the mistake is
	 * @param detail a part of what is told of it
	 * @param action a part of what to do about it, or {@code null} for anything
	 */
	static void checkMistake(RestTestClient.ResponseSpec answer, String path, String detail, String action) {
		check(answer, 400, "Content-Type", "application/problem+json");
		byte[] body = answer.expectBody()
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
		assertThat(body).hasSizeLessThan(LONGEST_PROBLEM);
	}

}
