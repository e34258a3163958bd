package io.github.ratelimit.expression;

/**
 * Thrown when the value of an expression cannot be used. The message may quote what a
 * client has sent, in readable form; the reason does not.
 */
class FailedExpressionException extends IllegalStateException {

	private final String reason;

	private final boolean failsAlways;

	FailedExpressionException(String message, String reason) {
		this(message, reason, false);
	}

	FailedExpressionException(String message, String reason, boolean failsAlways) {
		super(message);
		this.reason = reason;
		this.failsAlways = failsAlways;
	}

	/**
	 * Whether the expression reads what is not there, whatever a client sends.
	 */
	boolean failsAlways() {
		return this.failsAlways;
	}

	String reason() {
		return this.reason;
	}

}
