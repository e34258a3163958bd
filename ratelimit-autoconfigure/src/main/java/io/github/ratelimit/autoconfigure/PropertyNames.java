package io.github.ratelimit.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/**
 * The names of our properties, as {@link RateLimitProperties} has them.
 */
final class PropertyNames {

	private PropertyNames() {
	}

	/**
	 * Whether there is a property of a name below {@code ratelimit}.
	 */
	static boolean isKnown(ConfigurationPropertyName name) {
		ResolvableType type = ResolvableType.forClass(RateLimitProperties.class);
		for (int i = 1; type != null && i < name.getNumberOfElements(); i++) {
			type = next(type, name, i);
		}
		return type != null;
	}

	private static @Nullable ResolvableType next(ResolvableType type, ConfigurationPropertyName name, int index) {
		Class<?> resolved = type.toClass();
		if (Map.class.isAssignableFrom(resolved)) {
			return type.getGeneric(1);
		}
		if (List.class.isAssignableFrom(resolved)) {
			return name.isNumericIndex(index) ? type.getGeneric(0) : null;
		}
		return components(resolved).get(name.getElement(index, Form.DASHED));
	}

	/**
	 * The properties that a type of ours consists of.
	 * @param type the type
	 * @return the types of the properties by name; none if it is a single value
	 */
	static Map<String, ResolvableType> components(Class<?> type) {
		return !type.isRecord() ? Map.of()
				: Arrays.stream(type.getRecordComponents())
					.collect(Collectors.toMap((component) -> name(type, component),
							(component) -> ResolvableType.forType(component.getGenericType())));
	}

	private static String name(Class<?> type, RecordComponent component) {
		Name name = Objects.requireNonNull(ReflectionUtils.findField(type, component.getName()))
			.getAnnotation(Name.class);
		return (name != null) ? name.value() : DataObjectPropertyName.toDashedForm(component.getName());
	}

}
