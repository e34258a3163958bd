package io.github.ratelimit;

/**
 * A number or a name of a limit or policy that cannot be. Says which one it was and what
 * to write instead.
 */
public class InvalidRateLimitException extends IllegalArgumentException {

	private final String attribute;

	private final Object value;

	private final String reason;

	private final String action;

	/**
	 * Creates the exception.
	 * @param attribute the attribute that was wrong, such as {@code window}
	 * @param value the value it had
	 * @param reason why it cannot be, as the end of a sentence that begins with the
	 * attribute and its value
	 * @param action what to write instead, as a sentence
	 */
	public InvalidRateLimitException(String attribute, Object value, String reason, String action) {
		super(attribute + " = " + value + " " + reason);
		this.attribute = attribute;
		this.value = value;
		this.reason = reason;
		this.action = action;
	}

	/**
	 * The attribute that was wrong.
	 * @return its name as in {@code @RateLimited}, such as {@code window}
	 */
	public String attribute() {
		return this.attribute;
	}

	/**
	 * The value that was wrong.
	 * @return the value as it was given
	 */
	public Object value() {
		return this.value;
	}

	/**
	 * Why it cannot be.
	 * @return the end of a sentence that begins with the attribute and its value
	 */
	public String reason() {
		return this.reason;
	}

	/**
	 * What to write instead.
	 * @return a sentence
	 */
	public String action() {
		return this.action;
	}

}
