package io.github.ratelimit;

import java.time.Duration;
import java.util.Collection;
import java.util.regex.Pattern;

import io.github.ratelimit.support.DurationText;
import io.github.ratelimit.support.Suggestion;
import org.jspecify.annotations.Nullable;

/**
 * A rate limit that cannot be enforced as it is written. Says where it is written, why it
 * cannot be enforced, and what to write instead.
 *
 * @since 0.1.0
 */
public class InvalidRateLimitException extends IllegalArgumentException {

	private static final String MISSING = "is missing";

	private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z0-9_-]+");

	private final String attribute;

	private final @Nullable Object value;

	private final String reason;

	private final String action;

	private final Origin origin;

	/**
	 * Creates the exception for an attribute that code has set.
	 * @param attribute the attribute that is wrong, such as {@code window}
	 * @param value the value that it has
	 * @param reason why it cannot be enforced, as the end of a sentence that begins with
	 * the attribute and its value
	 * @param action what to write instead, as a sentence
	 */
	public InvalidRateLimitException(String attribute, Object value, String reason, String action) {
		this(Origin.CODE, attribute, value, attribute + " = " + text(value) + " " + reason, reason, action, null);
	}

	private InvalidRateLimitException(Origin origin, String attribute, @Nullable Object value, String message,
			String reason, String action, @Nullable Throwable cause) {
		super(message, cause);
		this.origin = origin;
		this.attribute = attribute;
		this.value = value;
		this.reason = reason;
		this.action = action;
	}

	/**
	 * Creates the mistake of asking for a policy that does not exist.
	 * @param policy the name that was asked for
	 * @param known the names of all policies
	 * @return the mistake, with the nearest name as its action
	 */
	public static InvalidRateLimitException unknownPolicy(String policy, Collection<String> known) {
		String message = "There is no rate limit policy named '" + policy + "'";
		return new InvalidRateLimitException(Origin.CODE, message, null, message, "", Suggestion.brackets(policy, known)
				+ Suggestion.of(policy, known) + " Or add the policy to ratelimit.policies.", null);
	}

	/**
	 * Creates the exception for a configuration property.
	 * @param property its full name, such as {@code ratelimit.policies.login.limits[0]}
	 * @param value the value that it has, or {@code null} if it has none
	 * @param reason why it cannot be enforced, as the end of a sentence that begins with
	 * the property and its value
	 * @param action what to write instead, as a sentence
	 * @param cause what found it, if anything
	 * @return the exception
	 */
	public static InvalidRateLimitException property(String property, @Nullable Object value, String reason,
			String action, @Nullable Throwable cause) {
		String subject = "The property '" + property + "'"
				+ ((value != null) ? " with the value '" + text(value) + "'" : "");
		return new InvalidRateLimitException(Origin.PROPERTY, property, value, subject + " " + reason, reason, action,
				cause);
	}

	/**
	 * Creates the exception for a configuration property that has no value.
	 * @param property its full name
	 * @param action what to write, as a sentence
	 * @return an exception for which {@link #isMissing()} is {@code true}
	 */
	public static InvalidRateLimitException missing(String property, String action) {
		return property(property, null, MISSING, action, null);
	}

	/*
	 * Checks an attribute that code has set.
	 */
	static void require(boolean valid, String attribute, Object value, String reason, String action) {
		if (!valid) {
			throw new InvalidRateLimitException(attribute, value, reason, action);
		}
	}

	private static Object text(Object value) {
		return (value instanceof Duration duration) ? DurationText.of(duration) : value;
	}

	/**
	 * Creates the exception for anything else that is written somewhere.
	 * @param subject what it is and where it is written, such as {@code @RateLimited on
	 * LoginController.login()}
	 * @param reason why it cannot be enforced, as the end of a sentence that begins with
	 * the subject
	 * @param action what to write instead, as a sentence
	 * @param cause what found it, if anything
	 * @return the exception
	 */
	public static InvalidRateLimitException of(String subject, String reason, String action,
			@Nullable Throwable cause) {
		return new InvalidRateLimitException(Origin.ELSEWHERE, subject, null, subject + " " + reason, reason, action,
				cause);
	}

	/**
	 * The same mistake, of one of a policy's limits.
	 * @param index the limit's index in the policy, from 0
	 * @return an exception whose {@link #attribute()} begins with {@code limits[index]}
	 */
	public InvalidRateLimitException inLimit(int index) {
		return named("limits[" + index + "]." + this.attribute);
	}

	/**
	 * The same mistake in a policy's only limit that is written without a list.
	 * @return the exception, whose attribute names no list
	 */
	public InvalidRateLimitException inSingleLimit() {
		return named(this.attribute.replaceFirst("(^|\\.)limits\\[0]\\.", "$1"));
	}

	/**
	 * The same mistake, of a part of a policy.
	 * @param prefix what the attribute's name begins with there, such as {@code shadow-}
	 * or {@code plans.pro.}
	 * @return an exception whose {@link #attribute()} begins with the prefix
	 */
	public InvalidRateLimitException within(String prefix) {
		return named(prefix + this.attribute);
	}

	/**
	 * How a name is written in a property, after what it is a part of.
	 * @param name the name of a policy or a plan
	 * @return {@code .name}, or {@code [name]} where characters would be dropped without
	 * brackets
	 */
	public static String element(String name) {
		return PLAIN_NAME.matcher(name).matches() ? "." + name : "[" + name + "]";
	}

	/**
	 * The same mistake, where the attribute is a configuration property.
	 * @param parent the property that the attribute is a part of
	 * @return an exception that names the property
	 */
	public InvalidRateLimitException inProperty(String parent) {
		return property(parent + "." + this.attribute, this.value, this.reason, this.action, this);
	}

	/*
	 * Names the attribute of the same mistake in another way.
	 */
	private InvalidRateLimitException named(String attribute) {
		return new InvalidRateLimitException(this.origin, attribute, this.value, String.valueOf(getMessage()),
				this.reason, this.action, this);
	}

	/**
	 * The invalid attribute.
	 * @return an attribute, such as {@code window}, the full name of a configuration
	 * property, or what else is written somewhere
	 */
	public String attribute() {
		return this.attribute;
	}

	/**
	 * The value that the attribute has.
	 * @return the value as a text, or {@code null} if it has none
	 */
	public @Nullable String value() {
		return (this.value != null) ? String.valueOf(text(this.value)) : null;
	}

	/**
	 * The reason why it is invalid.
	 * @return the end of a sentence that begins with the attribute and its value
	 */
	public String reason() {
		return this.reason;
	}

	/**
	 * The action that corrects the mistake.
	 * @return a sentence
	 */
	public String action() {
		return this.action;
	}

	/**
	 * Whether the attribute is the full name of a configuration property.
	 * @return {@code false} for what code or an annotation says
	 */
	public boolean isProperty() {
		return this.origin == Origin.PROPERTY;
	}

	/**
	 * Whether the mistake is that a configuration property has no value.
	 * @return {@code false} for a value that is wrong
	 */
	public boolean isMissing() {
		return isProperty() && this.reason.equals(MISSING);
	}

	/**
	 * Whether the application's own code has set the attribute.
	 * @return {@code false} for what a property or an annotation says
	 */
	public boolean isCode() {
		return this.origin == Origin.CODE;
	}

	private enum Origin {

		CODE, PROPERTY, ELSEWHERE

	}

}
