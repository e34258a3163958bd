package io.github.ratelimit.annotation;

import org.jspecify.annotations.Nullable;

/**
 * An annotation that cannot be enforced as it is written. Says where it stands and what
 * to write instead.
 */
public class InvalidRateLimitedMethodException extends RuntimeException {

	private final String place;

	private final String action;

	InvalidRateLimitedMethodException(AnnotatedPlace place, String reason, String action, @Nullable Throwable cause) {
		super("@RateLimited on " + place.description() + " " + reason, cause);
		this.place = place.description();
		this.action = action;
	}

	/**
	 * Where the annotation stands.
	 * @return the method or type, such as {@code PostController.post(String)}
	 */
	public String place() {
		return this.place;
	}

	/**
	 * What to write instead.
	 * @return a sentence
	 */
	public String action() {
		return this.action;
	}

}
