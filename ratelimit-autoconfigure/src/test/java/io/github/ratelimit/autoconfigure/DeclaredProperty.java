package io.github.ratelimit.autoconfigure;

import java.lang.reflect.Constructor;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * A property that a record of properties declares. Below a map's key it is named
 * {@code *}, and below an element of a list {@code [*]}.
 *
 * @param name the full name
 * @param type the name of the type, as in metadata
 * @param defaultValue the single default value, if there is one
 * @param constants the possible values, if the type is an enum or has elements of one
 */
record DeclaredProperty(String name, String type, @Nullable String defaultValue, @Nullable List<String> constants) {

	static Stream<DeclaredProperty> of(String prefix, Class<?> type) {
		RecordComponent[] components = type.getRecordComponents();
		Constructor<?> constructor = type.getDeclaredConstructors()[0];
		return IntStream.range(0, components.length)
			.boxed()
			.flatMap((i) -> of(prefix + "." + PropertyNames.name(type, components[i]),
					ResolvableType.forType(components[i].getGenericType()), constructor.getParameters()[i]));
	}

	private static Stream<DeclaredProperty> of(String name, ResolvableType type, Parameter parameter) {
		if (type.toClass().isRecord()) {
			return of(name, type.toClass());
		}
		Class<?> member = type.getGeneric(Map.class.isAssignableFrom(type.toClass()) ? 1 : 0).toClass();
		DeclaredProperty property = new DeclaredProperty(name, type(type), defaultValue(parameter),
				constants(member.isEnum() ? member : type.toClass()));
		if (!member.isRecord()) {
			return Stream.of(property);
		}
		String members = Map.class.isAssignableFrom(type.toClass()) ? name + ".*" : name + "[*]";
		return Stream.concat(Stream.of(property), of(members, member));
	}

	private static String type(ResolvableType type) {
		return type.hasGenerics() ? type.toString().replace(", ", ",")
				: ClassUtils.resolvePrimitiveIfNecessary(type.toClass()).getName();
	}

	private static @Nullable String defaultValue(Parameter parameter) {
		DefaultValue defaultValue = parameter.getAnnotation(DefaultValue.class);
		return (defaultValue != null && defaultValue.value().length == 1) ? defaultValue.value()[0] : null;
	}

	private static @Nullable List<String> constants(Class<?> type) {
		return type.isEnum() ? Arrays.stream(type.getEnumConstants())
			.map((constant) -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-'))
			.toList() : null;
	}

	@Override
	public String toString() {
		return this.name;
	}

}
