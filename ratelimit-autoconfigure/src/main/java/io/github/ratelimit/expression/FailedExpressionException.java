package io.github.ratelimit.expression;

/**
 * Thrown when the value of an expression cannot be used. The message may quote what a
 * client has sent, in readable form; the reason does not.
 */
final class FailedExpressionException extends IllegalStateException {

	private final String reason;

	private final String remedy;

	private final boolean failsAlways;

	FailedExpressionException(String message, String reason) {
		this(message, reason, "", false);
	}

	FailedExpressionException(String message, String reason, String remedy, boolean failsAlways) {
		super(message);
		this.reason = reason;
		this.remedy = remedy;
		this.failsAlways = failsAlways;
	}

	/**
	 * Whether it fails whatever a client sends: the application is to be corrected.
	 */
	boolean failsAlways() {
		return this.failsAlways;
	}

	String reason() {
		return this.reason;
	}

	/**
	 * What to write instead, or an empty text.
	 */
	String remedy() {
		return this.remedy;
	}

}
