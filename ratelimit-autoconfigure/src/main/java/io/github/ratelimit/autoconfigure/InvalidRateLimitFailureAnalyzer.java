package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.origin.Origin;
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
			return new FailureAnalysis(invalid.getMessage() + "." + where(invalid, failure), invalid.action(), invalid);
		}
		BindException unbound = find(failure, BindException.class);
		return (unbound != null) ? BindFailure.analyze(unbound) : null;
	}

	private String where(InvalidRateLimitException invalid, Throwable failure) {
		if (invalid.isProperty()) {
			Origin origin = origin(invalid.attribute());
			return (origin != null) ? " It was set in " + origin + "." : "";
		}
		BeanCreationException creation = invalid.isCode() ? find(failure, BeanCreationException.class) : null;
		return (creation != null) ? " The bean '" + creation.getBeanName() + "' cannot be created." : "";
	}

	private @Nullable Origin origin(String property) {
		if (this.environment == null) {
			return null;
		}
		ConfigurationPropertyName name = ConfigurationPropertyName.adapt(property, '.');
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			ConfigurationProperty found = source.getConfigurationProperty(name);
			if (found != null) {
				return found.getOrigin();
			}
		}
		return null;
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
