package io.github.ratelimit.autoconfigure;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.support.Suggestion;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.core.ResolvableType;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.convert.ConversionFailedException;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;
import org.springframework.util.unit.DataSize;

/**
 * The mistakes of values that cannot be converted to what their property needs.
 */
final class MistakenValue {

	static final String NOT_WHOLE = "is not a whole number, or too large";

	static final String WHOLE_NUMBER = "Write the number in digits only, such as 100.";

	static final String DURATION = "Write a number with a unit, such as 500ms, 10s, 1m, 1h or 1d, or an ISO-8601 "
			+ "duration such as PT1H.";

	private MistakenValue() {
	}

	/**
	 * The mistake of a value that Spring Boot cannot convert.
	 * @param property the property's full name
	 * @param written the whole text of the property
	 * @param target what it is to be
	 * @param conversion why it is not
	 */
	static InvalidRateLimitException of(String property, String written, ResolvableType target,
			ConversionException conversion) {
		ConversionFailedException failed = innermost(conversion);
		if (failed != null) {
			return unconverted(property, failed.getValue(), failed.getTargetType().getType(), conversion);
		}

		Type type = target.toClass();
		if (target.hasGenerics()) {
			type = target.getType();
		}
		PropertyShape shape = PropertyShape.of(property, type);
		if (!shape.mayBeText()) {
			return ConfiguredShapes.singleValue(property, written, shape);
		}
		return unconverted(property, written, shape.valueType(), conversion);
	}

	private static InvalidRateLimitException unconverted(String property, @Nullable Object value, Class<?> type,
			ConversionException conversion) {
		if (ObjectUtils.isEmpty(value)) {
			return empty(property);
		}
		return of(property, String.valueOf(value), ClassUtils.resolvePrimitiveIfNecessary(type), conversion);
	}

	private static InvalidRateLimitException of(String property, String value, Class<?> type,
			@Nullable Exception cause) {
		if (type == Double.class) {
			return mistake(property, value, "is not a number", "Write a number such as 2 or 1.5.", cause);
		}
		if (Number.class.isAssignableFrom(type)) {
			return mistake(property, value, NOT_WHOLE, WHOLE_NUMBER, cause);
		}

		if (type == Duration.class) {
			return mistake(property, value, "is not a duration", DURATION, cause);
		}
		if (type == DataSize.class) {
			return mistake(property, value, "is not a size", "Write a number with a unit, such as 512KB or 64MB.",
					cause);
		}
		return mistake(property, value, "is not a known value", Suggestion.of(value, known(type)), cause);
	}

	/**
	 * The mistake of a value that is none of those that are known.
	 */
	static InvalidRateLimitException unknown(String property, Object value, Class<?> type) {
		return of(property, String.valueOf(value), type, null);
	}

	/**
	 * The values of a type that are known.
	 */
	static List<String> known(Class<?> type) {
		if (!type.isEnum()) {
			return List.of("true", "false");
		}
		return Arrays.stream(type.getEnumConstants())
			.map((each) -> ((Enum<?>) each).name().toLowerCase(Locale.ROOT).replace('_', '-'))
			.toList();
	}

	/* In a list with commas between its values, the failure of the wrong value. */
	private static @Nullable ConversionFailedException innermost(Throwable failure) {
		ConversionFailedException innermost = null;
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof ConversionFailedException failed) {
				innermost = failed;
			}
		}
		return innermost;
	}

	/**
	 * The mistake of a property that has no value, as only some lists and texts may.
	 */
	static InvalidRateLimitException empty(String property) {
		return InvalidRateLimitException.property(property, null, "has no value",
				"Write a value, or remove the property for its default.", null);
	}

	/**
	 * The mistake of a list of which an entry is missing.
	 * @param property the first that Spring Boot would leave out
	 * @param text its text, with placeholders replaced
	 * @param unbound says so
	 */
	static InvalidRateLimitException missingEntryBefore(ConfigurationProperty property, String text,
			UnboundConfigurationPropertiesException unbound) {
		if (text.isEmpty()) {
			return empty(property.getName().toString());
		}
		return InvalidRateLimitException.property(property.getName().toString(), property.getValue(),
				"is of an entry that follows none", "Number the entries of a list from [0] and without a gap.",
				unbound);
	}

	/**
	 * The mistake of a placeholder that stays in the text.
	 */
	static InvalidRateLimitException unresolved(String property, String text) {
		return mistake(property, text, "has a placeholder that nothing resolves",
				"Set what it names, or give a default after a colon, such as ${SEARCH_LIMIT:100}.", null);
	}

	private static InvalidRateLimitException mistake(String property, String value, String reason, String action,
			@Nullable Exception cause) {
		return InvalidRateLimitException.property(property, value, reason, action, cause);
	}

}
