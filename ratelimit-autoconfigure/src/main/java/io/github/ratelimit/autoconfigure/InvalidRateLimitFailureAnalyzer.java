package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.origin.Origin;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Failure analyzer for invalid rate limits, in properties, annotations and code.
 */
@Order(0)
class InvalidRateLimitFailureAnalyzer extends AbstractFailureAnalyzer<InvalidRateLimitException> {

	private final @Nullable Environment environment;

	InvalidRateLimitFailureAnalyzer(@Nullable Environment environment) {
		this.environment = environment;
	}

	@Override
	protected FailureAnalysis analyze(Throwable failure, InvalidRateLimitException invalid) {
		String location = "";
		if (invalid.isProperty() && this.environment != null) {
			location = whereItWasSet(invalid, this.environment);
		}
		else if (invalid.isCode()) {
			location = bean(failure);
		}
		return new FailureAnalysis(invalid.getMessage() + "." + location, invalid.action(), invalid);
	}

	/*
	 * A property that is missing may be set in another source, whose list Spring Boot
	 * leaves out as a whole.
	 */
	private static String whereItWasSet(InvalidRateLimitException invalid, Environment environment) {
		ConfigurationPropertyName name = ConfigurationPropertyName.adapt(invalid.attribute(), '.');
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			ConfigurationProperty property = find(name, source);
			Origin origin = Origin.from(property);
			if (property != null && origin != null) {
				return found(property, origin, invalid.isMissing(), environment);
			}
		}

		return around(name, environment);
	}

	private static String found(ConfigurationProperty property, Origin origin, boolean missing,
			Environment environment) {
		if (!missing) {
			return " It was set in " + origin + ".";
		}
		if (environment.resolvePlaceholders(property.getValue().toString()).isBlank()) {
			return " It has no value in " + origin + ".";
		}
		return " It is set in " + origin + ", but Spring Boot takes a list whole from one place, and another "
				+ "place has a part of this one.";
	}

	/*
	 * Says where a part of the property was set, or where one beside it was.
	 */
	private static String around(ConfigurationPropertyName name, Environment environment) {
		ConfigurationProperty below = firstBelow(name, environment);
		if (below != null) {
			return " It was set in " + below.getOrigin() + ".";
		}

		if (name.getNumberOfElements() > 2) {
			ConfigurationProperty beside = firstBelow(name.getParent(), environment);
			if (beside != null) {
				return " '" + beside.getName() + "' was set in " + beside.getOrigin() + ".";
			}
		}
		return "";
	}

	/*
	 * Finds the first property below a name of which it is known where it was set.
	 */
	private static @Nullable ConfigurationProperty firstBelow(ConfigurationPropertyName name, Environment environment) {
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			if (source instanceof IterableConfigurationPropertySource iterable) {
				ConfigurationProperty below = iterable.stream()
					.filter(name::isAncestorOf)
					.map(source::getConfigurationProperty)
					.filter((property) -> Origin.from(property) != null)
					.findFirst()
					.orElse(null);
				if (below != null) {
					return below;
				}
			}
		}
		return null;
	}

	/* The entries of a list may be written as one text. */
	private static @Nullable ConfigurationProperty find(ConfigurationPropertyName name,
			ConfigurationPropertySource source) {
		ConfigurationProperty found = source.getConfigurationProperty(name);
		if (found == null && name.isLastElementIndexed()) {
			return source.getConfigurationProperty(name.getParent());
		}
		return found;
	}

	private String bean(Throwable failure) {
		BeanCreationException creation = findCause(failure, BeanCreationException.class);
		if (creation == null) {
			return "";
		}
		return " The bean '" + creation.getBeanName() + "' cannot be created.";
	}

}
