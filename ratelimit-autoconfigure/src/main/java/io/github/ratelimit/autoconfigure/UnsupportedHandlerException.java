package io.github.ratelimit.autoconfigure;

/**
 * An annotated handler of a kind that cannot be limited. Says which one, and what to do
 * instead.
 */
class UnsupportedHandlerException extends RuntimeException {

	private final String action;

	UnsupportedHandlerException(String handler, String reason, String action) {
		super("@RateLimited on the handler " + handler + " " + reason + ".");
		this.action = action;
	}

	String action() {
		return this.action;
	}

}
