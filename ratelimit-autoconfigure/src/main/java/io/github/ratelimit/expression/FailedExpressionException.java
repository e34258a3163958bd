package io.github.ratelimit.expression;

/**
 * Thrown when the value of an expression cannot be used. The message may quote what a
 * client has sent, in readable form; the reason does not.
 */
class FailedExpressionException extends IllegalStateException {

	private final String reason;

	FailedExpressionException(String message, String reason) {
		super(message);
		this.reason = reason;
	}

	String reason() {
		return this.reason;
	}

}
