package io.github.ratelimit.testserver;

import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.util.List;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a server has answered.
 *
 * @param status the status
 * @param headers the header fields
 * @param body the body
 */
public record Answer(int status, HttpHeaders headers, String body) {

	public static Answer of(HttpResponse<String> response) {
		return new Answer(response.statusCode(), response.headers(), response.body());
	}

	public @Nullable String field(String name) {
		return this.headers.firstValue(name).orElse(null);
	}

	public List<String> all(String name) {
		return this.headers.allValues(name);
	}

	/**
	 * Checks the answer.
	 * @param status the status that it must have
	 * @param fields fields that it must have once, each as {@code name: value}, or must
	 * not have, each as {@code name:}
	 * @return the answer
	 */
	public Answer is(int status, String... fields) {
		assertThat(this.status).as(this.body).isEqualTo(status);
		for (String field : fields) {
			String[] parts = field.split(": ?", 2);
			assertThat(all(parts[0])).as(parts[0]).isEqualTo(parts[1].isEmpty() ? List.of() : List.of(parts[1]));
		}
		return this;
	}

	/**
	 * Reads how much the client of an allowed request has left.
	 */
	public long remaining() {
		return Long.parseLong(is(200).all("X-RateLimit-Remaining").get(0));
	}

	/**
	 * Checks that no field tells of a limit.
	 */
	public Answer tellsOfNoLimit() {
		assertThat(this.headers.map().keySet()).noneMatch((name) -> name.toLowerCase().contains("ratelimit"));
		return this;
	}

}
