package io.github.ratelimit.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
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

	static String sentence(@Nullable Origin origin) {
		return (origin != null) ? " It was set in " + origin + "." : "";
	}

}
