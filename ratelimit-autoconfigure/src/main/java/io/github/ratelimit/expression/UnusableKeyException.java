package io.github.ratelimit.expression;

/**
 * Thrown when the value of a key expression is no key, whatever a client sends: the
 * application is to be corrected.
 */
final class UnusableKeyException extends FailedExpressionException {

	static final String REMEDY = "Write what tells callers apart, such as an identifier, or a text of several: "
			+ "principal.name + ':' + path.";

	UnusableKeyException(String expression, String reason) {
		super("The key expression '" + expression + "' " + reason, "it " + reason);
	}

}
