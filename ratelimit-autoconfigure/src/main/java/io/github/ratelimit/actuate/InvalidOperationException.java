package io.github.ratelimit.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.util.MimeType;

/**
 * Thrown if an operation of the endpoint cannot be done, or if what was sent is not what
 * it takes.
 */
final class InvalidOperationException extends InvalidEndpointRequestException {

	private static final MimeType TYPE = MimeType.valueOf("application/problem+json");

	final transient OperationProblem problem;

	/**
	 * Creates the exception.
	 * @param title what kind of problem it is, such as {@code Invalid override}
	 * @param status the status of the answer, such as 400
	 * @param detail what is wrong, as a sentence
	 * @param action what to do about it, as a sentence, or {@code null}
	 * @param path where it is, such as {@code $.limits[0].window}, or {@code null}
	 * @param current the override that is in force instead, or {@code null}
	 */
	InvalidOperationException(String title, int status, String detail, @Nullable String action, @Nullable String path,
			@Nullable OverrideDescriptor current) {
		super(message(detail, action), detail);
		this.problem = new OperationProblem(title, status, detail, action, path, current);
	}

	private static String message(String detail, @Nullable String action) {
		if (action == null) {
			return detail;
		}
		return detail + " " + action;
	}

	/**
	 * The answer that says so.
	 * @return an answer that has the problem
	 */
	WebEndpointResponse<Object> answer() {
		return new WebEndpointResponse<>(this.problem, this.problem.status, TYPE);
	}

	/**
	 * A problem as RFC 9457 has it: why an operation was not done.
	 *
	 * @param title what kind of problem it is
	 * @param status the status of the answer
	 * @param detail what is wrong, as a sentence
	 * @param action what to do about it, or {@code null}
	 * @param path where it is in what was sent, or {@code null}
	 * @param current the override that is in force instead, or {@code null}
	 */
	record OperationProblem(String title, int status, String detail, @Nullable String action, @Nullable String path,
			@Nullable OverrideDescriptor current) implements OperationResponseBody {
	}

}
