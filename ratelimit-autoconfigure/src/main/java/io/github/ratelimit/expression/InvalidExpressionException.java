package io.github.ratelimit.expression;

import org.jspecify.annotations.Nullable;

/**
 * An expression that cannot be parsed, or that reads what is not there. Says where it
 * stands and what to write instead.
 */
public class InvalidExpressionException extends IllegalArgumentException {

	private final String place;

	private final String attribute;

	private final String expression;

	private final String action;

	InvalidExpressionException(String place, String attribute, String expression, String reason, String action,
			@Nullable Throwable cause) {
		super("The " + attribute + " expression '" + expression + "' of " + place + " " + reason, cause);
		this.place = place;
		this.attribute = attribute;
		this.expression = expression;
		this.action = action;
	}

	/**
	 * Where the expression stands.
	 * @return a rule, policy or method, in a few words
	 */
	public String place() {
		return this.place;
	}

	/**
	 * What the expression is for.
	 * @return {@code key}, {@code cost} or {@code condition}
	 */
	public String attribute() {
		return this.attribute;
	}

	/**
	 * The expression itself.
	 * @return the text as it was written
	 */
	public String expression() {
		return this.expression;
	}

	/**
	 * What to write instead.
	 * @return a sentence
	 */
	public String action() {
		return this.action;
	}

}
