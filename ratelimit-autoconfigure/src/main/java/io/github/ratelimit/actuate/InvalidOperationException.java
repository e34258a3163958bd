package io.github.ratelimit.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * What was sent to an operation of the endpoint is not what it takes.
 *
 * @since 0.1.0
 */
public final class InvalidOperationException extends RuntimeException {

	private final int status;

	private final String action;

	private final @Nullable String path;

	/**
	 * Creates the exception.
	 * @param status the status of the answer, such as 400
	 * @param message what is wrong, as a sentence
	 * @param action what to do about it, as a sentence
	 * @param path where it is, such as {@code $.limits[0].window}, or {@code null}
	 */
	public InvalidOperationException(int status, String message, String action, @Nullable String path) {
		super(message, null, false, false);
		this.status = status;
		this.action = action;
		this.path = path;
	}

	/**
	 * Answers the mistake.
	 * @param title what was not done
	 * @return the problem
	 */
	public WebEndpointResponse<Object> answer(String title) {
		return new OperationProblem(title, this.status, String.valueOf(getMessage()), this.action, this.path, null)
			.answer();
	}

}
