package io.github.ratelimit.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.github.ratelimit.Suggestion;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/**
 * The first unknown part of a property's name, found by walking down from
 * {@link RateLimitProperties}.
 *
 * @param path the name up to the unknown part
 * @param reason the mistake, as the end of a sentence
 * @param action what to write instead
 */
record UnknownName(String path, String reason, String action) {

	/* Where a policy's name is in the name of a property. */
	private static final int POLICY = 2;

	private UnknownName(String path, String action) {
		this(path, "is not known", action);
	}

	static UnknownName of(ConfigurationProperty property) {
		ConfigurationPropertyName name = property.getName();
		UnknownName unknown = find(name);
		if (unknown != null) {
			return unknown;
		}
		String path = original(name, name.getNumberOfElements() - 1);
		return String.valueOf(property.getValue()).isBlank()
				? new UnknownName(path, "has no value", "Give it one, or remove it.")
				: new UnknownName(path, "Remove it.");
	}

	static @Nullable UnknownName find(ConfigurationPropertyName name) {
		ResolvableType type = ResolvableType.forClass(RateLimitProperties.class);
		for (int i = 1; i < name.getNumberOfElements(); i++) {
			if (List.class.isAssignableFrom(type.toClass()) && !name.isNumericIndex(i)) {
				ResolvableType sibling = beside(name, i).get(name.getElement(i, Form.DASHED));
				if (sibling == null) {
					return new UnknownName(original(name, i), insteadOfEntry(name, i, type));
				}
				type = sibling;
				continue;
			}
			ResolvableType next = next(type, name.getElement(i, Form.DASHED));
			if (next == null) {
				return unknown(name, i, type);
			}
			type = next;
		}
		return null;
	}

	private static String insteadOfEntry(ConfigurationPropertyName name, int index, ResolvableType type) {
		Map<String, ResolvableType> beside = beside(name, index);
		if (!beside.isEmpty()) {
			return Suggestion.of(name.getElement(index, Form.ORIGINAL), beside.keySet());
		}
		String list = name.getElement(index - 1, Form.ORIGINAL);
		return "Write a list: begin each entry of '" + list + "' with a dash, even where it is the only one."
				+ ((type.getGeneric().toClass() == RateLimitProperties.Limit.class)
						? " Or leave out '" + list + "', and write a single limit directly in the policy." : "");
	}

	private static @Nullable ResolvableType next(ResolvableType type, String element) {
		Class<?> resolved = type.toClass();
		if (Map.class.isAssignableFrom(resolved)) {
			return type.getGeneric(1);
		}
		if (List.class.isAssignableFrom(resolved)) {
			return type.getGeneric(0);
		}
		return components(resolved).get(element);
	}

	static Map<String, ResolvableType> components(Class<?> type) {
		if (!type.isRecord()) {
			return Map.of();
		}
		return Arrays.stream(type.getRecordComponents())
			.filter((component) -> name(type, component).indexOf('.') < 0)
			.collect(Collectors.toMap((component) -> name(type, component),
					(component) -> ResolvableType.forType(component.getGenericType())));
	}

	/* The properties whose names begin as that of a list, such as headers.reset. */
	private static Map<String, ResolvableType> beside(ConfigurationPropertyName name, int index) {
		String list = name.getElement(index - 1, Form.DASHED);
		Map<String, ResolvableType> beside = new TreeMap<>();
		for (RecordComponent component : RateLimitProperties.class.getRecordComponents()) {
			String given = givenName(RateLimitProperties.class, component);
			if (given != null && given.startsWith(list + ".")) {
				beside.put(given.substring(list.length() + 1), ResolvableType.forType(component.getGenericType()));
			}
		}
		return beside;
	}

	private static String name(Class<?> type, RecordComponent component) {
		String given = givenName(type, component);
		return (given != null) ? given : DataObjectPropertyName.toDashedForm(component.getName());
	}

	private static @Nullable String givenName(Class<?> type, RecordComponent component) {
		Name name = Objects.requireNonNull(ReflectionUtils.findField(type, component.getName()))
			.getAnnotation(Name.class);
		return (name != null) ? name.value() : null;
	}

	private static UnknownName unknown(ConfigurationPropertyName name, int index, ResolvableType type) {
		if (type.toClass() == RateLimitProperties.Policy.class && name.isNumericIndex(index)
				&& components(type.toClass()).containsKey(name.getElement(index - 1, Form.DASHED))) {
			return new UnknownName(original(name, index - 1), "stands where a policy's name should",
					"Write the policy's name before it, such as ratelimit.policies.login."
							+ name.getElement(index - 1, Form.DASHED) + ".");
		}
		Collection<String> known = components(type.toClass()).keySet();
		String action = known.isEmpty() ? "" : Suggestion.of(name.getElement(index, Form.ORIGINAL), known) + " ";
		return new UnknownName(original(name, index), (action + brackets(name, index, type)).strip());
	}

	/*
	 * A dot in a policy's name begins the next level. What follows it may be the name of
	 * one of the policy's properties.
	 */
	private static String brackets(ConfigurationPropertyName name, int index, ResolvableType type) {
		int last = (type.toClass() == RateLimitProperties.Policy.class) ? index : index - 1;
		boolean ofPolicy = last == POLICY + 1 && name.getElement(POLICY - 1, Form.DASHED).equals("policies");
		if (!ofPolicy) {
			return components(type.toClass()).isEmpty() ? "Remove it." : "";
		}
		String policy = name.getElement(POLICY, Form.ORIGINAL) + "." + name.getElement(last, Form.ORIGINAL);
		return "If the policy is called '" + policy + "', write its name in brackets and quotes: \"[" + policy + "]\".";
	}

	private static String original(ConfigurationPropertyName name, int last) {
		StringBuilder path = new StringBuilder(name.getElement(0, Form.ORIGINAL));
		for (int i = 1; i <= last; i++) {
			String element = name.getElement(i, Form.ORIGINAL);
			path.append(name.chop(i + 1).isLastElementIndexed() ? "[" + element + "]" : "." + element);
		}
		return path.toString();
	}

}
