package io.github.ratelimit.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.origin.Origin;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Analyzes properties that were read and cannot be, and says where they stand.
 */
@Order(0)
class InvalidRateLimitPropertyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidRateLimitPropertyException> {

	private final @Nullable Environment environment;

	InvalidRateLimitPropertyFailureAnalyzer(@Nullable Environment environment) {
		this.environment = environment;
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidRateLimitPropertyException cause) {
		Origin origin = origin(cause.property());
		return new FailureAnalysis(cause.getMessage() + ((origin != null) ? " It was set in " + origin + "." : ""),
				cause.action(), cause);
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

}
