package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.IntLiteral;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.OpAnd;
import org.springframework.expression.spel.ast.OpEQ;
import org.springframework.expression.spel.ast.OpOr;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;

/**
 * Finds keys that no call can use, costs and conditions that are none, and charges that
 * are neither true, false nor a number, as far as their value or its type is known at
 * start-up.
 */
final class KnownValues {

	private static final String CHARGE_REMEDY = "Write an expression that is true, false or a number, such as status >= 400, "
			+ "exception != null or result.size().";

	private static final Set<String> NO_NUMBERS = Set.of("clientAddress", "principal", "path", "method", "session",
			"request", "target", "exception");

	private static final Set<String> STATUS = Set.of("status", "#root.status");

	private static final Set<String> NOTHING = Set.of("0", "false");

	private KnownValues() {
	}

	static void check(ParsedExpression parsed) {
		switch (parsed.place().purpose()) {
			case KEY -> values(parsed.ast()).forEach((value) -> checkKey(parsed, value));
			case COST -> checkConstant(parsed, ExpressionValues::checkConstantCost,
					"Write a whole number from 1, or an expression that gives one, such as #items.size().");
			case CONDITION -> checkConstant(parsed, ExpressionValues::condition,
					"Write an expression that is true or false, such as header('X-Internal') == null.");
			case CHARGE -> {
				values(parsed.ast()).forEach((value) -> checkCharge(parsed, value));
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
				throw parsed.place().invalid(parsed.text(), "has the wrong type or range", action, ex);
			}
		}
	}

	private static boolean isConstant(SpelNode node) {
		return node instanceof Literal || node instanceof Operator
				&& IntStream.range(0, node.getChildCount()).mapToObj(node::getChild).allMatch(KnownValues::isConstant);
	}

	private static void checkKey(ParsedExpression key, SpelNode value) {
		String obstacle = noKey(value, key.place().method());
		if (obstacle != null) {
			throw key.place().invalid(key.text(), "is no key: " + obstacle, KeyText.REMEDY, null);
		}
	}

	private static void checkCharge(ParsedExpression charge, SpelNode value) {
		String obstacle = noCharge(value, charge.place().method());
		if (obstacle != null) {
			throw charge.place()
				.invalid(charge.text(),
						"is neither true, false nor a number: " + value.toStringAST() + " is " + obstacle,
						CHARGE_REMEDY, null);
		}
	}

	/* What an expression may give: either side of a choice. */
	private static Stream<SpelNode> values(SpelNode node) {
		if (node instanceof Ternary || node instanceof Elvis) {
			return IntStream.range((node instanceof Ternary) ? 1 : 0, node.getChildCount())
				.mapToObj(node::getChild)
				.flatMap(KnownValues::values);
		}
		return Stream.of(node);
	}

	private static @Nullable String noKey(SpelNode node, @Nullable Method method) {
		if (node instanceof InlineList) {
			return "a collection " + KeyText.CHANGING;
		}
		boolean request = node instanceof PropertyOrFieldReference property && property.getName().equals("request");
		if (request || NodeNames.isRoot(node, true)) {
			return node.toStringAST() + " " + KeyText.OF_A_REQUEST;
		}
		ResolvableType parameter = parameter(node, method);
		Class<?> type = (parameter != null) ? parameter.resolve(Object.class) : Object.class;
		String obstacle = KeyText.obstacle(type);
		return (obstacle != null) ? "a " + type.getSimpleName() + " " + obstacle : null;
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
		return IntStream.range(exempts ? 1 : 0, charge.getChildCount())
			.anyMatch((i) -> isOfOneStatus(charge.getChild(i)));
	}

	private static boolean isStatusAndRefusal(SpelNode status, SpelNode refusal) {
		return STATUS.contains(status.toStringAST()) && refusal instanceof IntLiteral literal
				&& literal.getLiteralValue().getValue() instanceof Integer value && value >= 400 && value < 500;
	}

	private static @Nullable String noCharge(SpelNode node, @Nullable Method method) {
		if (node instanceof StringLiteral || node instanceof InlineList || node instanceof InlineMap) {
			return "neither of them";
		}
		if (node instanceof PropertyOrFieldReference property) {
			if (NO_NUMBERS.contains(property.getName())) {
				return "neither of them";
			}
			return (method != null && property.getName().equals("result"))
					? noCharge(ResolvableType.forMethodReturnType(method)) : null;
		}
		ResolvableType parameter = parameter(node, method);
		return (parameter != null) ? noCharge(parameter) : null;
	}

	private static @Nullable String noCharge(ResolvableType type) {
		Class<?> plain = ClassUtils.resolvePrimitiveIfNecessary(type.resolve(Object.class));
		if (isLater(plain)) {
			return type.hasGenerics() ? noCharge(type.getGeneric(0)) : null;
		}
		boolean possible = Number.class.isAssignableFrom(plain) || Boolean.class == plain
				|| plain.isAssignableFrom(Number.class) || plain.isInterface();
		return possible ? null : (plain == void.class) ? "void" : "a " + plain.getSimpleName();
	}

	private static boolean isLater(Class<?> type) {
		return CompletionStage.class.isAssignableFrom(type) || Callable.class.isAssignableFrom(type)
				|| type.getName().startsWith("org.springframework.web.context.request.async.")
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

}
