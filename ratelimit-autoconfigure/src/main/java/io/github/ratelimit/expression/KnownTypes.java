package io.github.ratelimit.expression;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.ratelimit.Suggestion;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.IntLiteral;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpAnd;
import org.springframework.expression.spel.ast.OpEQ;
import org.springframework.expression.spel.ast.OpOr;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Finds what is read of a method's arguments and what no value of their types can have,
 * keys that no call can use, costs and conditions that are none, and charges that are
 * neither true, false nor a number, as far as their value or its type is known at
 * start-up.
 */
final class KnownTypes {

	/* SpEL reads these in a way of its own. */
	private static final Set<Class<?>> SPECIAL = Set.of(Class.class, Optional.class);

	private static final Pattern PREFIX = Pattern.compile("^(get|is)(?=.)");

	private static final Members MEMBERS = new Members();

	private static final String CHARGE_REMEDY = "Write an expression that is true, false or a number, such as status >= 400, "
			+ "exception != null or result.size().";

	private static final Set<String> NUMBERS = Set.of("status", "result", "authenticationFailed");

	private static final Set<String> STATUS = Set.of("status", "#root.status");

	private static final Set<String> NOTHING = Set.of("0", "false");

	private KnownTypes() {
	}

	static void check(ParsedExpression parsed) {
		switch (parsed.place().purpose()) {
			case KEY -> checkValues(parsed, KnownTypes::noKey, KeyText.REMEDY);
			case COST -> checkConstant(parsed,
					(cost, value) -> Assert.state(ExpressionValues.cost(cost, value) > 0, "A cost is from 1"),
					"Write a whole number from 1, or an expression that gives one, such as #items.size().");
			case CONDITION -> checkConstant(parsed, ExpressionValues::condition,
					"Write an expression that is true or false, such as header('X-Internal') == null.");
			case CHARGE -> {
				checkValues(parsed, KnownTypes::noCharge, CHARGE_REMEDY);
				checkConstant(parsed, (charge, value) -> ExpressionValues.charge(charge, value, 1), CHARGE_REMEDY);
			}
			case PLAN -> {
			}
		}
	}

	private static void checkConstant(ParsedExpression parsed, BiConsumer<ParsedExpression, @Nullable Object> check,
			String action) {
		if (isConstant(parsed.ast())) {
			try {
				check.accept(parsed, parsed.expression().getValue());
			}
			catch (RuntimeException ex) {
				throw parsed.place().invalid("has the wrong type or range", action, ex);
			}
		}
	}

	private static boolean isConstant(SpelNode node) {
		return node instanceof Literal
				|| node instanceof Operator && ExpressionNodes.children(node).allMatch(KnownTypes::isConstant);
	}

	private static void checkValues(ParsedExpression parsed,
			BiFunction<SpelNode, @Nullable Method, @Nullable String> check, String remedy) {
		values(parsed.ast()).forEach((value) -> {
			String obstacle = check.apply(value, parsed.place().method());
			if (obstacle != null) {
				throw parsed.place().invalid(obstacle, remedy, null);
			}
		});
	}

	/* What an expression may give: either side of a choice. */
	private static Stream<SpelNode> values(SpelNode node) {
		if (node instanceof Ternary || node instanceof Elvis) {
			return ExpressionNodes.children(node).skip((node instanceof Ternary) ? 1 : 0).flatMap(KnownTypes::values);
		}
		return Stream.of(node);
	}

	private static @Nullable String noKey(SpelNode node, @Nullable Method method) {
		if (node instanceof InlineList) {
			return "is no key: a collection " + KeyText.CHANGING;
		}
		if (ExpressionNodes.name(node).equals("request") || ExpressionNodes.isRoot(node, true)) {
			return "is no key: " + node.toStringAST() + " " + KeyText.OF_A_REQUEST;
		}
		ResolvableType parameter = parameter(node, method);
		Class<?> type = (parameter != null) ? parameter.resolve(Object.class) : Object.class;
		String obstacle = KeyText.obstacle(type);
		return (obstacle != null) ? "is no key: a " + type.getSimpleName() + " " + obstacle : null;
	}

	private static @Nullable ResolvableType parameter(SpelNode node, @Nullable Method method) {
		Integer index = (node instanceof VariableReference variable)
				? ExpressionPlace.parameters(method).get(variable.toStringAST().substring(1)) : null;
		return (index != null && method != null) ? ResolvableType.forMethodParameter(method, index) : null;
	}

	/**
	 * Whether a charge counts answers of one status that says no, which a client can have
	 * answered with another, such as a 406 by what it accepts.
	 * @param charge the expression
	 */
	static boolean isOfOneStatus(SpelNode charge) {
		if (charge instanceof OpEQ) {
			return isStatusAndRefusal(charge.getChild(0), charge.getChild(1))
					|| isStatusAndRefusal(charge.getChild(1), charge.getChild(0));
		}
		if (!(charge instanceof OpAnd || charge instanceof OpOr || charge instanceof Ternary)) {
			return false;
		}
		boolean exempts = charge instanceof Ternary && !NOTHING.contains(charge.getChild(2).toStringAST());
		return ExpressionNodes.children(charge).skip(exempts ? 1 : 0).anyMatch(KnownTypes::isOfOneStatus);
	}

	private static boolean isStatusAndRefusal(SpelNode status, SpelNode refusal) {
		return STATUS.contains(status.toStringAST()) && refusal instanceof IntLiteral literal
				&& literal.getLiteralValue().getValue() instanceof Integer value && value >= 400 && value < 500;
	}

	private static @Nullable String noCharge(SpelNode node, @Nullable Method method) {
		boolean never = node instanceof StringLiteral || node instanceof InlineList || node instanceof InlineMap
				|| node instanceof PropertyOrFieldReference property && !NUMBERS.contains(property.getName());
		ResolvableType type = (method != null && ExpressionNodes.name(node).equals("result"))
				? ResolvableType.forMethodReturnType(method) : parameter(node, method);
		return (never || type != null && !mayBeCharge(type))
				? "is neither true, false nor a number, but " + node.toStringAST() : null;
	}

	private static boolean mayBeCharge(ResolvableType type) {
		Class<?> plain = ClassUtils.resolvePrimitiveIfNecessary(type.resolve(Object.class));
		if (isLater(plain)) {
			return !type.hasGenerics() || mayBeCharge(type.getGeneric(0));
		}
		return Number.class.isAssignableFrom(plain) || Boolean.class == plain || plain.isAssignableFrom(Number.class)
				|| plain.isInterface();
	}

	private static boolean isLater(Class<?> type) {
		return CompletionStage.class.isAssignableFrom(type) || Callable.class.isAssignableFrom(type)
				|| type.getName().startsWith("org.springframework.web.context.request.async.")
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

	/**
	 * Checks what is read of a variable. A value may be of a subtype that has it, unless
	 * there can be none.
	 * @param path the variable and what follows it
	 * @param place the expression, whose method has the variable as a parameter
	 */
	static void checkMembers(SpelNode path, ExpressionPlace place) {
		Method method = place.method();
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
				throw missing(place, known, part);
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
		String name = ExpressionNodes.name(part);
		if (part instanceof PropertyOrFieldReference) {
			return MEMBERS.property(name, type, known);
		}
		Method found = null;
		for (Method method : known.getMethods()) {
			if (method.getName().equals(name)
					&& (method.isVarArgs() || method.getParameterCount() == part.getChildCount())) {
				if (found != null) {
					return ResolvableType.NONE;
				}
				found = method;
			}
		}
		return (found != null) ? ResolvableType.forMethodReturnType(found, type.toClass()) : null;
	}

	private static RuntimeException missing(ExpressionPlace place, Class<?> type, SpelNode part) {
		boolean call = part instanceof MethodReference;
		Set<String> known = new TreeSet<>();
		for (Method method : type.getMethods()) {
			known.add(call ? method.getName()
					: StringUtils.uncapitalizeAsProperty(PREFIX.matcher(method.getName()).replaceFirst("")));
		}
		String name = ExpressionNodes.name(part);
		return place.invalid(
				(call ? "calls '" : "reads '") + name + "', which " + type.getTypeName() + " does not have",
				Suggestion.question(name, known) + "Write what the type has, in public.", null);
	}

	/**
	 * Finds properties as SpEL does.
	 */
	private static final class Members extends ReflectivePropertyAccessor {

		@Nullable ResolvableType property(String name, ResolvableType type, Class<?> known) {
			Method getter = findGetterForProperty(name, known, false);
			if (getter != null) {
				return ResolvableType.forMethodReturnType(getter, type.toClass());
			}
			Field field = findField(name, known, false);
			return (field != null) ? ResolvableType.forField(field, type) : null;
		}

	}

}
