package io.github.ratelimit.expression;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;

/**
 * Thrown when an expression fails or its value cannot be used. Says nothing that a client
 * has sent.
 */
final class FailedExpressionException extends IllegalStateException {

	/* The messages about types, and about names that the expression has. */
	private static final Set<SpelMessage> WITHOUT_VALUES = Set.of(SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE,
			SpelMessage.METHOD_NOT_FOUND, SpelMessage.CONSTRUCTOR_NOT_FOUND, SpelMessage.TYPE_NOT_FOUND,
			SpelMessage.TYPE_CONVERSION_ERROR, SpelMessage.OPERATOR_NOT_SUPPORTED_BETWEEN_TYPES,
			SpelMessage.NOT_COMPARABLE, SpelMessage.INDEXING_NOT_SUPPORTED_FOR_TYPE);

	final String reason;

	/* It fails whatever a client sends, so the application is to be corrected. */
	final boolean failsAlways;

	FailedExpressionException(ExpressionLocation location, String reason, boolean failsAlways) {
		super(location.subject() + " failed: " + reason);
		this.reason = reason;
		this.failsAlways = failsAlways;
	}

	/**
	 * Describes why SpEL has failed, as it says itself unless code that it called has
	 * failed.
	 * @param failure the exception
	 * @return its code and message, with an ellipsis for each value; or type and location
	 * of its cause
	 */
	static String describe(EvaluationException failure) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
		if (thrower(cause).isPresent() || !(failure instanceof SpelEvaluationException spel)) {
			return describe(cause);
		}

		SpelMessage message = spel.getMessageCode();
		@Nullable Object @Nullable [] given = spel.getInserts();
		Stream<?> inserts = (given != null) ? Arrays.stream(given).map(String::valueOf) : Stream.of();
		if (!WITHOUT_VALUES.contains(message)) {
			inserts = inserts.map((value) -> "…");
		}
		return message.formatMessage(inserts.toArray());
	}

	/**
	 * Describes an exception.
	 * @param failure the exception
	 * @return its type, and where the application's code threw it
	 */
	static String describe(Throwable failure) {
		String type = failure.getClass().getSimpleName();
		return thrower(failure).map((frame) -> type + " at " + frame).orElse(type);
	}

	/*
	 * Where the application's code has thrown an exception, if it was not SpEL itself.
	 */
	private static Optional<StackTraceElement> thrower(Throwable failure) {
		return Arrays.stream(failure.getStackTrace())
			.filter((frame) -> !isOfPlatform(frame.getClassName()))
			.findFirst()
			.filter((frame) -> !frame.getClassName().startsWith(SpelEvaluator.class.getName()));
	}

	private static boolean isOfPlatform(String type) {
		return type.startsWith("java.") || type.startsWith("jdk.") || type.startsWith("sun.")
				|| type.startsWith("org.springframework.") || type.startsWith("reactor.");
	}

}
