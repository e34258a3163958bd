package io.github.ratelimit.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.util.MimeType;

/**
 * Why an operation was not done, as RFC 9457 has it.
 *
 * @param title what kind of problem it is
 * @param status the status of the answer
 * @param detail what is wrong, as a sentence
 * @param action what to do about it, or {@code null}
 * @param path where it is in what was sent, or {@code null}
 * @param current the override that is in force, if that is the problem
 */
record OperationProblem(String title, int status, String detail, @Nullable String action, @Nullable String path,
		@Nullable OverrideDescriptor current) implements OperationResponseBody {

	private static final MimeType TYPE = MimeType.valueOf("application/problem+json");

	WebEndpointResponse<Object> answer() {
		return new WebEndpointResponse<>(this, this.status, TYPE);
	}

}
