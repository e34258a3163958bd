package io.github.ratelimit.actuate;

import org.jspecify.annotations.Nullable;

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
	 * The status of the answer.
	 * @return a status, such as 400
	 */
	public int status() {
		return this.status;
	}

	/**
	 * What to do about it.
	 * @return a sentence
	 */
	public String action() {
		return this.action;
	}

	/**
	 * Where the mistake is.
	 * @return a path, such as {@code $.limits[0].window}, or {@code null}
	 */
	public @Nullable String path() {
		return this.path;
	}

}
