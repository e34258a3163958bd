package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import io.github.ratelimit.Suggestion;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Finds what is read of a method's arguments and what no value of their types can have. A
 * value may be of a subtype that has it, unless there can be none.
 */
final class KnownMembers {

	/* SpEL reads these in a way of its own. */
	private static final Set<Class<?>> SPECIAL = Set.of(Class.class, Optional.class);

	private static final List<String> PREFIXES = List.of("get", "is");

	private final String text;

	private final ExpressionPlace place;

	KnownMembers(String text, ExpressionPlace place) {
		this.text = text;
		this.place = place;
	}

	/**
	 * Checks what is read of a variable.
	 * @param path the variable and what follows it
	 */
	void check(SpelNode path) {
		Method method = this.place.method();
		Integer index = ExpressionPlace.parameters(method).get(path.getChild(0).toStringAST().substring(1));
		if (method == null || index == null) {
			return;
		}
		MethodParameter argument = MethodParameter.forExecutable(method, index);
		ResolvableType type = ResolvableType.forMethodParameter(argument);
		boolean exact = isExact(type.resolve()) || isRead(argument);
		for (int i = 1; i < path.getChildCount(); i++) {
			SpelNode part = path.getChild(i);
			Class<?> known = ClassUtils.resolvePrimitiveIfNecessary(type.toClass());
			if (known.isArray() || SPECIAL.contains(known)
					|| !(part instanceof PropertyOrFieldReference || part instanceof MethodReference)) {
				return;
			}
			ResolvableType member = member(type, known, part);
			if (member == null && exact) {
				throw missing(known, part);
			}
			if (member == null || member == ResolvableType.NONE) {
				return;
			}
			type = member;
			exact = isExact(type.resolve());
		}
	}

	private static boolean isExact(@Nullable Class<?> type) {
		return type != null && (Modifier.isFinal(type.getModifiers()) || type.isEnum());
	}

	/*
	 * A body is read as the type that is declared, unless that says otherwise.
	 */
	private static boolean isRead(MethodParameter argument) {
		Class<?> type = argument.getParameterType();
		return !Modifier.isAbstract(type.getModifiers()) && !type.getName().startsWith("java.")
				&& MergedAnnotations.from(argument.getParameterAnnotations())
					.isPresent("org.springframework.web.bind.annotation.RequestBody")
				&& !MergedAnnotations.from(type, MergedAnnotations.SearchStrategy.TYPE_HIERARCHY)
					.isPresent("com.fasterxml.jackson.annotation.JsonTypeInfo");
	}

	/*
	 * The type of a member, NONE if there are several, or null if there is no such
	 * member.
	 */
	private static @Nullable ResolvableType member(ResolvableType type, Class<?> known, SpelNode part) {
		boolean call = part instanceof MethodReference;
		String name = NodeNames.of(part);
		List<Method> methods = Arrays.stream(known.getMethods())
			.filter((method) -> call ? isCalled(method, name, part.getChildCount()) : isGetter(method, name))
			.toList();
		boolean field = !call && Arrays.stream(known.getFields()).anyMatch((each) -> each.getName().equals(name));
		if (methods.isEmpty()) {
			return field ? ResolvableType.NONE : null;
		}
		return (methods.size() == 1) ? ResolvableType.forMethodReturnType(methods.get(0), type.toClass())
				: ResolvableType.NONE;
	}

	private static boolean isCalled(Method method, String name, int arguments) {
		return method.getName().equals(name) && (method.getParameterCount() == arguments || method.isVarArgs());
	}

	private static boolean isGetter(Method method, String property) {
		String name = method.getName();
		return method.getParameterCount() == 0 && (name.equals(property)
				|| PREFIXES.stream().anyMatch((prefix) -> name.equalsIgnoreCase(prefix + property)));
	}

	private RuntimeException missing(Class<?> type, SpelNode part) {
		boolean call = part instanceof MethodReference;
		String name = NodeNames.of(part);
		List<String> names = call ? Arrays.stream(type.getMethods()).map(Method::getName).distinct().toList()
				: Stream
					.concat(Arrays.stream(type.getMethods())
						.filter((method) -> method.getParameterCount() == 0
								&& method.getDeclaringClass() != Object.class)
						.map(KnownMembers::property), Arrays.stream(type.getFields()).map((field) -> field.getName()))
					.distinct()
					.toList();
		return this.place.invalid(this.text,
				(call ? "calls '" : "reads '") + name + "', which " + type.getTypeName() + " does not have",
				Suggestion.question(name, names) + "Write what the type has, in public.", null);
	}

	private static String property(Method getter) {
		String name = getter.getName();
		return PREFIXES.stream()
			.filter((prefix) -> name.startsWith(prefix) && name.length() > prefix.length())
			.findFirst()
			.map((prefix) -> StringUtils.uncapitalizeAsProperty(name.substring(prefix.length())))
			.orElse(name);
	}

}
