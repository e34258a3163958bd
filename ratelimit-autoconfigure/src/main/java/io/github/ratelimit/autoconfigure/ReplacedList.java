package io.github.ratelimit.autoconfigure;

import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;

/**
 * A list of which one property source sets some properties and another source sets all.
 * Spring Boot takes a list whole from the first source that has any of it, so that
 * properties that only the other source sets are missing.
 *
 * @param name the name of the list
 * @param used where the list is taken from
 * @param hidden where the missing property is set
 */
record ReplacedList(ConfigurationPropertyName name, String used, Origin hidden) {

	static @Nullable ReplacedList of(ConfigurationPropertyName property, Environment environment) {
		ConfigurationPropertyName list = list(property);
		Origin hidden = PropertyOrigin.find(property, environment);
		if (list == null || hidden == null) {
			return null;
		}
		return StreamSupport.stream(ConfigurationPropertySources.get(environment).spliterator(), false)
			.filter((source) -> hasAny(source, list))
			.findFirst()
			.filter((used) -> used.getConfigurationProperty(property) == null
					&& used.getConfigurationProperty(list) == null)
			.map((used) -> new ReplacedList(list, name(used, list), hidden))
			.orElse(null);
	}

	private static @Nullable ConfigurationPropertyName list(ConfigurationPropertyName property) {
		for (int i = property.getNumberOfElements() - 1; i > 0; i--) {
			if (property.isNumericIndex(i)) {
				return property.chop(i);
			}
		}
		return null;
	}

	static boolean hasAny(ConfigurationPropertySource source, ConfigurationPropertyName list) {
		return source.getConfigurationProperty(list) != null
				|| source.containsDescendantOf(list) == ConfigurationPropertyState.PRESENT;
	}

	private static String name(ConfigurationPropertySource source, ConfigurationPropertyName list) {
		if (source instanceof IterableConfigurationPropertySource iterable) {
			Origin origin = iterable.stream()
				.filter(list::isAncestorOf)
				.map((name) -> Origin.from(iterable.getConfigurationProperty(name)))
				.findFirst()
				.orElse(null);
			if (origin != null) {
				return origin.toString();
			}
		}
		return (source.getUnderlyingSource() instanceof PropertySource<?> underlying)
				? "property source '" + underlying.getName() + "'" : source.toString();
	}

	String description() {
		return " It is set in " + this.hidden + ", but Spring Boot takes a list whole from one place, and '" + this.name
				+ "' is in " + this.used + ".";
	}

	String action() {
		ConfigurationPropertyName policy = this.name.getParent();
		boolean limits = this.name.getNumberOfElements() == 4
				&& this.name.getLastElement(ConfigurationPropertyName.Form.DASHED).equals("limits");
		return " Set every property of the list there" + (limits ? ", or write a single limit without the list, as '"
				+ policy + ".limit' and '" + policy + ".window', which can be overridden one by one." : ".");
	}

}
