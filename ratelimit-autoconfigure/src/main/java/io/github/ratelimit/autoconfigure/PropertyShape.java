package io.github.ratelimit.autoconfigure;

import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The shape of what may be written at a position below {@code ratelimit}, according to
 * the records that the properties are bound to: a value, names with what is below each of
 * them, a list or a map. A list may have names beside it, as {@code headers} has.
 */
final class PropertyShape {

	private final String name;

	private final Class<?> type;

	/* The shape of each entry of a list or a map. */
	private final @Nullable PropertyShape entry;

	/* The members by their names without dashes. Null until they are asked for. */
	private @Nullable Map<String, PropertyShape> members;

	private PropertyShape(String name, Type type) {
		this.name = name;
		if (type instanceof ParameterizedType parameterized) {
			Type[] arguments = parameterized.getActualTypeArguments();
			this.type = (Class<?>) parameterized.getRawType();
			this.entry = new PropertyShape(name, arguments[arguments.length - 1]);
		}
		else {
			this.type = (Class<?>) type;
			this.entry = null;
		}
	}

	static PropertyShape root() {
		return of("ratelimit", RateLimitProperties.class);
	}

	static PropertyShape of(String name, Type type) {
		return new PropertyShape(name, type);
	}

	/**
	 * The name as the documentation writes it.
	 */
	String name() {
		return this.name;
	}

	Class<?> type() {
		return this.type;
	}

	@Nullable PropertyShape entry() {
		return this.entry;
	}

	boolean isMap() {
		return this.type == Map.class;
	}

	boolean isList() {
		return this.type == List.class;
	}

	/**
	 * Whether one text says all: a value, or a list of values, which may be written with
	 * commas.
	 */
	boolean mayBeText() {
		return isValue() || (isList() && this.entry != null && this.entry.isValue());
	}

	/**
	 * The type of the value, or of the values of a list.
	 */
	Class<?> valueType() {
		return (this.entry != null) ? this.entry.type : this.type;
	}

	boolean isValue() {
		return this.entry == null && members().isEmpty();
	}

	/**
	 * Finds the shape that is below a name.
	 * @param name the name without dashes, in lower case
	 * @return the shape, or {@code null} if there is no such name
	 */
	@Nullable PropertyShape member(String name) {
		return members().get(name);
	}

	Collection<PropertyShape> all() {
		return members().values();
	}

	private Map<String, PropertyShape> members() {
		Map<String, PropertyShape> members = this.members;
		if (members == null) {
			members = readMembers();
			this.members = members;
		}
		return members;
	}

	private Map<String, PropertyShape> readMembers() {
		Map<String, PropertyShape> members = new LinkedHashMap<>();
		if (this.type.isRecord()) {
			Parameter[] parameters = PropertyNames.parameters(this.type);
			Type[] types = PropertyNames.parameterTypes(this.type);
			for (int i = 0; i < parameters.length; i++) {
				add(PropertyNames.name(parameters[i]), types[i], members);
			}
		}
		return members;
	}

	/*
	 * A name may have several levels, such as headers.reset. The first may be a property
	 * itself, such as headers, which is added before or afterwards.
	 */
	private static void add(String name, Type type, Map<String, PropertyShape> members) {
		int dot = name.indexOf('.');
		if (dot >= 0) {
			String first = name.substring(0, dot);
			PropertyShape above = members.computeIfAbsent(uniform(first),
					(any) -> new PropertyShape(first, Object.class));
			add(name.substring(dot + 1), type, above.members());
			return;
		}

		PropertyShape added = new PropertyShape(name, type);
		PropertyShape before = members.put(uniform(name), added);
		if (before != null) {
			added.members().putAll(before.members());
		}
	}

	private static String uniform(String name) {
		return name.replace("-", "").toLowerCase(Locale.ROOT);
	}

	/**
	 * An example, as YAML has it in one line.
	 */
	String example() {
		PropertyShape entry = this.entry;
		if (entry != null && isList()) {
			return "[ " + entry.example() + " ]";
		}
		if (entry != null) {
			String name = (entry.type == RateLimitProperties.Plan.class) ? "pro" : "login";
			return "{ " + name + ": " + entry.example() + " }";
		}

		if (all().isEmpty()) {
			return "acme";
		}
		if (this.type == RateLimitProperties.Rule.class) {
			return "{ path: /api/**, policy: api }";
		}
		if (this.type == RateLimitProperties.Ban.class) {
			return "{ after: 3, within: 10m }";
		}
		if (member("limit") != null) {
			return "{ limit: 100, window: 1m }";
		}
		return "{ " + all().iterator().next().name + ": … }";
	}

}
