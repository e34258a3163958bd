package io.github.ratelimit.autoconfigure;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;

/**
 * Where a property was set.
 */
final class PropertyOrigin {

	private PropertyOrigin() {
	}

	static @Nullable Origin find(ConfigurationPropertyName name, Environment environment) {
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			ConfigurationProperty found = find(name, source);
			if (found != null) {
				return found.getOrigin();
			}
		}
		return null;
	}

	/* The entries of a list may be written as one text. */
	private static @Nullable ConfigurationProperty find(ConfigurationPropertyName name,
			ConfigurationPropertySource source) {
		ConfigurationProperty found = source.getConfigurationProperty(name);
		return (found == null && name.isLastElementIndexed()) ? source.getConfigurationProperty(name.getParent())
				: found;
	}

	/*
	 * Of a property that is missing, what is set beside it.
	 */
	static String sentence(ConfigurationPropertyName name, Environment environment) {
		Origin origin = find(name, environment);
		if (origin != null || name.getNumberOfElements() < 4) {
			return sentence(origin);
		}
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			if (source instanceof IterableConfigurationPropertySource iterable) {
				Optional<ConfigurationPropertyName> beside = iterable.stream()
					.filter(name.getParent()::isAncestorOf)
					.findFirst();
				if (beside.isPresent()) {
					return " '" + beside.get() + "' was set in "
							+ Origin.from(source.getConfigurationProperty(beside.get())) + ".";
				}
			}
		}
		return "";
	}

	static String sentence(@Nullable Origin origin) {
		return (origin != null) ? " It was set in " + origin + "." : "";
	}

}
