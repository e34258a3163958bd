package io.github.ratelimit.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.ReflectionUtils;

/**
 * The names of our properties, as {@link RateLimitProperties} has them, and those that
 * are none.
 */
final class PropertyNames {

	private static final ConfigurationPropertyName POLICIES = ConfigurationPropertyName.of("ratelimit.policies");

	private static final List<String> SOURCES = List.of(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
			StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);

	/* Kubernetes sets them for a service whose name begins as ours do. */
	private static final Pattern OF_SERVICE = Pattern.compile(".+\\.(service\\.(host|port).*|port(\\[\\d+]\\..+)?)");

	private static final Pattern SPECIAL = Pattern.compile("[^A-Za-z0-9]");

	private PropertyNames() {
	}

	/**
	 * The names of the properties that a type of ours consists of.
	 */
	static Set<String> names(Class<?> type) {
		Set<String> names = new HashSet<>();
		for (RecordComponent component : type.getRecordComponents()) {
			names.add(name(type, component));
		}
		return names;
	}

	static String name(Class<?> type, RecordComponent component) {
		Name name = Objects.requireNonNull(ReflectionUtils.findField(type, component.getName()))
			.getAnnotation(Name.class);
		return (name != null) ? name.value() : DataObjectPropertyName.toDashedForm(component.getName());
	}

	/**
	 * Finds environment variables and system properties below {@code ratelimit.policies}
	 * that are for no policy. Spring Boot ignores what is unknown there. They are easily
	 * written: a dot or an underscore in a policy's name begins the next level.
	 * @param environment the environment of the application
	 * @param policies the names of the policies that exist
	 * @return what was set and where, sorted
	 */
	static List<String> findIgnored(Environment environment, Collection<String> policies) {
		List<String> ignored = new ArrayList<>();
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			if (source instanceof IterableConfigurationPropertySource iterable && isLookedAt(source)) {
				for (ConfigurationPropertyName name : iterable) {
					if (POLICIES.isAncestorOf(name) && isForNone(policies, name.toString())) {
						ignored.add("'" + name + "' (" + Origin.from(source.getConfigurationProperty(name)) + ")");
					}
				}
			}
		}
		Collections.sort(ignored);
		return ignored;
	}

	private static boolean isLookedAt(ConfigurationPropertySource source) {
		return source.getUnderlyingSource() instanceof PropertySource<?> underlying
				&& SOURCES.contains(underlying.getName());
	}

	private static boolean isForNone(Collection<String> policies, String name) {
		return !OF_SERVICE.matcher(name).matches() && policies.stream().noneMatch((policy) -> isFor(policy, name));
	}

	/*
	 * A dash in a policy's name is an underscore in that of a variable, as a dot is.
	 * Other names need brackets.
	 */
	private static boolean isFor(String policy, String name) {
		String path = ConfiguredPolicies.property(policy);
		UnaryOperator<String> form = path.endsWith("]") ? UnaryOperator.identity() : PropertyNames::plain;
		return names(RateLimitProperties.Policy.class).stream()
			.anyMatch((property) -> form.apply(name).startsWith(form.apply(path + "." + property)));
	}

	private static String plain(String text) {
		return SPECIAL.matcher(text).replaceAll("").toLowerCase(Locale.ROOT);
	}

}
