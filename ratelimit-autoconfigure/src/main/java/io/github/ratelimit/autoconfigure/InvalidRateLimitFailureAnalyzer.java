package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Failure analyzer for invalid rate limits, in properties, annotations and code.
 */
@Order(0)
class InvalidRateLimitFailureAnalyzer implements FailureAnalyzer {

	private final @Nullable Environment environment;

	InvalidRateLimitFailureAnalyzer(@Nullable Environment environment) {
		this.environment = environment;
	}

	@Override
	public @Nullable FailureAnalysis analyze(Throwable failure) {
		InvalidRateLimitException invalid = find(failure, InvalidRateLimitException.class);
		if (invalid != null) {
			return (invalid.isProperty() && this.environment != null) ? property(invalid, this.environment)
					: new FailureAnalysis(invalid.getMessage() + "." + bean(invalid, failure), invalid.action(),
							invalid);
		}
		BindException unbound = find(failure, BindException.class);
		return (unbound != null) ? BindFailure.analyze(unbound) : null;
	}

	private static FailureAnalysis property(InvalidRateLimitException invalid, Environment environment) {
		ConfigurationPropertyName name = ConfigurationPropertyName.adapt(invalid.attribute(), '.');
		String message = invalid.getMessage() + ".";
		ReplacedList list = ReplacedList.of(name, environment);
		if (list != null) {
			return new FailureAnalysis(message + list.description(), invalid.action() + list.action(), invalid);
		}
		return new FailureAnalysis(message + PropertyOrigin.sentence(name, environment), invalid.action(), invalid);
	}

	private static String bean(InvalidRateLimitException invalid, Throwable failure) {
		BeanCreationException creation = invalid.isCode() ? find(failure, BeanCreationException.class) : null;
		return (creation != null) ? " The bean '" + creation.getBeanName() + "' cannot be created." : "";
	}

	private static <T extends Throwable> @Nullable T find(Throwable failure, Class<T> type) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (type.isInstance(cause)) {
				return type.cast(cause);
			}
		}
		return null;
	}

}
