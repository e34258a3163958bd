package io.github.ratelimit.autoconfigure;

import org.jspecify.annotations.Nullable;

/**
 * A property that cannot be. Says which one it was and what to write instead.
 */
class InvalidRateLimitPropertyException extends RuntimeException {

	private final String property;

	private final String action;

	InvalidRateLimitPropertyException(String property, @Nullable Object value, String reason, String action,
			@Nullable Throwable cause) {
		super("The property '" + property + "'" + ((value != null) ? " with the value '" + value + "' " : " ") + reason
				+ ".", cause);
		this.property = property;
		this.action = action;
	}

	String property() {
		return this.property;
	}

	String action() {
		return this.action;
	}

}
