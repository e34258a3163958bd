package io.github.ratelimit.autoconfigure;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.support.Suggestion;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
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

	private static final String VARIABLES = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;

	private static final String SYSTEM_PROPERTIES = StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME;

	/* Kubernetes sets them for a service whose name begins as ours do. */
	private static final Pattern OF_SERVICE = Pattern.compile(".+\\.(service\\.(host|port).*|port(\\[\\d+]\\..+)?)");

	private static final Pattern SPECIAL_BUT_DOTS = Pattern.compile("[^a-z.]");

	private static final Pattern MISPLACED = Pattern
		.compile("(((spring|app|application)\\.)(ratelimit|rate\\.limit)|rate\\.limit|ratelimit(s|er|ers|ing))"
				+ "\\.(policies|rules)");

	private static final int MAX_SHOWN = 5;

	private static final Pattern SPECIAL = Pattern.compile("[^A-Za-z0-9]");

	private PropertyNames() {
	}

	/**
	 * The names of the properties that a type of ours consists of.
	 */
	static Set<String> names(Class<?> type) {
		Set<String> names = new HashSet<>();
		for (Parameter parameter : parameters(type)) {
			names.add(name(parameter));
		}
		return names;
	}

	/**
	 * The parameters that a type of ours is bound to. A native image knows constructors
	 * of such types, and neither their fields nor their components.
	 */
	static Parameter[] parameters(Class<?> type) {
		return type.getDeclaredConstructors()[0].getParameters();
	}

	/**
	 * The types of these parameters, with their arguments. Java 17 leaves the arguments
	 * out of {@link Parameter#getParameterizedType()} if a newer compiler has compiled
	 * the record.
	 */
	static Type[] parameterTypes(Class<?> type) {
		return type.getDeclaredConstructors()[0].getGenericParameterTypes();
	}

	static String name(Parameter parameter) {
		return name(parameter, parameter.getName());
	}

	static String name(Class<?> type, RecordComponent component) {
		return name(Objects.requireNonNull(ReflectionUtils.findField(type, component.getName())), component.getName());
	}

	private static String name(AnnotatedElement named, String byDefault) {
		Name name = named.getAnnotation(Name.class);
		return (name != null) ? name.value() : DataObjectPropertyName.toDashedForm(byDefault);
	}

	/**
	 * Finds environment variables and system properties below {@code ratelimit} that are
	 * no property, or for no policy. Spring Boot ignores what is unknown there. They are
	 * easily written: a dot or an underscore in a policy's name begins the next level.
	 * @param environment the environment of the application
	 * @param policies the policies that exist
	 * @return what was set and where, sorted
	 */
	static List<String> findIgnored(Environment environment, Map<String, RateLimitProperties.Policy> policies) {
		return find(environment, (source, name) -> {
			boolean systemProperty = isOf(SYSTEM_PROPERTIES, source);
			return (systemProperty || isOf(VARIABLES, source)) && isIgnored(name, systemProperty, policies);
		});
	}

	private static boolean isIgnored(ConfigurationPropertyName name, boolean systemProperty,
			Map<String, RateLimitProperties.Policy> policies) {
		if (!ConfiguredShapes.PREFIX.isAncestorOf(name)) {
			return false;
		}
		boolean meant = systemProperty || isMeant(name);
		return meant && !isKnown(name, 1, PropertyShape.root(), policies);
	}

	/**
	 * Finds policies and rules below a name that is nearly {@code ratelimit}, where
	 * nothing reads them.
	 * @param environment the environment of the application
	 * @return what was set and where, the first few
	 */
	static List<String> findMisplaced(Environment environment) {
		return findFew(environment, (name) -> {
			String dotted = SPECIAL_BUT_DOTS.matcher(name.toString()).replaceAll("");
			return MISPLACED.matcher(dotted).lookingAt();
		});
	}

	/**
	 * Finds properties that a store does not read. That which names another store may be
	 * a variable of the environment.
	 * @param environment the environment of the application
	 * @param store the name of the store
	 * @return what was set and where, the first few
	 */
	static List<String> findUnread(Environment environment, String store) {
		boolean chosen = store.equalsIgnoreCase(environment.getProperty("ratelimit.store"));
		boolean redis = store.equals("redis");
		return firstFew(find(environment, (source, name) -> {
			if (!ConfiguredShapes.PREFIX.isAncestorOf(name)) {
				return false;
			}
			if (isChoiceOfStore(name)) {
				return !chosen;
			}
			return !redis && isForRedis(name) && !isOf(VARIABLES, source);
		}));
	}

	private static boolean isChoiceOfStore(ConfigurationPropertyName name) {
		return name.getNumberOfElements() == 2 && name.getLastElement(Form.DASHED).equals("store");
	}

	private static boolean isForRedis(ConfigurationPropertyName name) {
		return name.getElement(1, Form.DASHED).equals("redis") || name.getLastElement(Form.DASHED).equals("on-failure");
	}

	/*
	 * Variables of the environment have other spellings, and are found by what is
	 * ignored.
	 */
	private static List<String> findFew(Environment environment, Predicate<ConfigurationPropertyName> wanted) {
		return firstFew(find(environment, (source, name) -> wanted.test(name) && !isOf(VARIABLES, source)));
	}

	private static List<String> firstFew(List<String> found) {
		return found.subList(0, Math.min(found.size(), MAX_SHOWN));
	}

	private static List<String> find(Environment environment,
			BiPredicate<ConfigurationPropertySource, ConfigurationPropertyName> wanted) {
		List<String> found = new ArrayList<>();
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			if (source instanceof IterableConfigurationPropertySource iterable) {
				for (ConfigurationPropertyName name : iterable) {
					if (wanted.test(source, name)) {
						found.add("'" + name + "' (" + Origin.from(source.getConfigurationProperty(name)) + ")");
					}
				}
			}
		}
		Collections.sort(found);
		return found;
	}

	/* Others may have variables that begin as ours do. Short words are near to many. */
	private static boolean isMeant(ConfigurationPropertyName name) {
		String first = name.getElement(1, Form.UNIFORM);
		int edits = 1;
		if (first.length() > 5) {
			edits = first.length() / 2;
		}

		Set<String> words = new HashSet<>();
		for (PropertyShape shape : PropertyShape.root().all()) {
			words.add(shape.name().split("-")[0]);
			words.add(shape.name().replace("-", ""));
		}
		return !OF_SERVICE.matcher(name.toString()).matches() && Suggestion.nearest(first, words, edits) != null;
	}

	private static boolean isOf(String name, ConfigurationPropertySource source) {
		return source.getUnderlyingSource() instanceof PropertySource<?> underlying
				&& name.equals(underlying.getName());
	}

	/*
	 * A dash in a name is an underscore in that of a variable, as a dot is, so that one
	 * name may take several elements.
	 */
	private static boolean isKnown(ConfigurationPropertyName name, int from, PropertyShape shape,
			Map<String, ?> named) {
		int length = name.getNumberOfElements();
		PropertyShape entry = shape.entry();
		if (from == length) {
			return shape.mayBeText() || entry != null;
		}
		if (entry != null && shape.isList() && name.isNumericIndex(from)) {
			return isKnown(name, from + 1, entry, named);
		}

		for (int to = from + 1; to <= length; to++) {
			if (isKnownMember(name, from, to, shape, named) || isKnownEntry(name, from, to, shape, named)) {
				return true;
			}
		}
		return false;
	}

	private static boolean isKnownMember(ConfigurationPropertyName name, int from, int to, PropertyShape shape,
			Map<String, ?> named) {
		PropertyShape member = shape.member(joined(name, from, to));
		return member != null && isKnown(name, to, member, named);
	}

	private static boolean isKnownEntry(ConfigurationPropertyName name, int from, int to, PropertyShape shape,
			Map<String, ?> named) {
		PropertyShape entry = shape.entry();
		if (entry == null || !shape.isMap()) {
			return false;
		}
		return named.entrySet().stream().anyMatch((each) -> {
			Map<String, ?> below = Map.of();
			if (each.getValue() instanceof RateLimitProperties.Policy policy) {
				below = policy.plans();
			}
			return isNamed(each.getKey(), name, from, to) && isKnown(name, to, entry, below);
		});
	}

	/* Names with other characters need brackets, so that they are one element. */
	private static boolean isNamed(String known, ConfigurationPropertyName name, int from, int to) {
		if (InvalidRateLimitException.element(known).endsWith("]")) {
			return to == from + 1 && name.getElement(from, Form.ORIGINAL).equals(known);
		}
		return joined(name, from, to).equals(SPECIAL.matcher(known).replaceAll("").toLowerCase(Locale.ROOT));
	}

	private static String joined(ConfigurationPropertyName name, int from, int to) {
		StringBuilder joined = new StringBuilder();
		for (int i = from; i < to; i++) {
			joined.append(name.getElement(i, Form.UNIFORM));
		}
		return SPECIAL.matcher(joined).replaceAll("");
	}

}
