package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.github.ratelimit.Suggestion;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.convert.ConversionFailedException;
import org.springframework.core.convert.ConverterNotFoundException;

/**
 * Analyzes why a value under {@code ratelimit} could not be converted to a number, a
 * duration or one of the known values.
 */
final class InvalidValue {

	/**
	 * What to write where something is not a duration.
	 */
	static final String DURATION = "Write a number with a unit, such as 500ms, 10s, 1m, 1h or 1d, or an ISO-8601 "
			+ "duration such as PT1H.";

	private InvalidValue() {
	}

	static @Nullable FailureAnalysis analyze(BindException cause) {
		if (cause.getCause() instanceof ConverterNotFoundException missing) {
			return parts(cause, missing);
		}
		ConversionFailedException failed = innermost(cause);
		String expected = (failed != null) ? expected(failed.getTargetType().getObjectType()) : null;
		if (failed != null && expected != null && failed.getValue() == null) {
			return new FailureAnalysis(
					"The property '" + cause.getName() + "' has no value." + BindFailure.origin(cause.getProperty()),
					"Give it one, or remove it.", cause);
		}
		return (failed != null && expected != null) ? value(cause, failed, expected) : null;
	}

	private static FailureAnalysis parts(BindException cause, ConverterNotFoundException missing) {
		Set<String> known = UnknownName.components(missing.getTargetType().getObjectType()).keySet();
		return new FailureAnalysis(
				"The property '" + cause.getName() + "' has a value, but consists of nested properties."
						+ BindFailure.origin(cause.getProperty()),
				"Write the nested properties below it, each with a name and a value."
						+ (known.isEmpty() ? "" : " " + Suggestion.known(known)),
				cause);
	}

	private static FailureAnalysis value(BindException cause, ConversionFailedException failed, String expected) {
		String value = String.valueOf(failed.getValue());
		return new FailureAnalysis(
				"The property '" + cause.getName() + "' with the value '" + value + "' is " + expected + "."
						+ BindFailure.origin(cause.getProperty()),
				action(failed.getTargetType().getObjectType(), value), cause);
	}

	private static @Nullable ConversionFailedException innermost(Throwable failure) {
		ConversionFailedException innermost = null;
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof ConversionFailedException failed) {
				innermost = failed;
			}
		}
		return innermost;
	}

	private static @Nullable String expected(Class<?> type) {
		if (type.isEnum()) {
			return "not a known value";
		}
		if (type == Duration.class) {
			return "not a duration";
		}
		if (type == Boolean.class) {
			return "neither true nor false";
		}
		if (type == Double.class) {
			return "not a number";
		}
		return Number.class.isAssignableFrom(type) ? "not a whole number, or too large" : null;
	}

	private static String action(Class<?> type, String value) {
		if (type.isEnum()) {
			return Suggestion.of(value, ids(type));
		}
		if (type == Duration.class) {
			return DURATION;
		}
		if (type == Double.class) {
			return "Write the number in digits, such as 2 or 1.5.";
		}
		return (type == Boolean.class) ? "Write true or false." : "Write the number in digits only, such as 100.";
	}

	private static List<String> ids(Class<?> type) {
		return Arrays.stream(type.getEnumConstants())
			.map((constant) -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-'))
			.toList();
	}

}
