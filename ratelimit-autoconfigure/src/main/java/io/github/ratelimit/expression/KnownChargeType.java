package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.IntLiteral;
import org.springframework.expression.spel.ast.OpAnd;
import org.springframework.expression.spel.ast.OpEQ;
import org.springframework.expression.spel.ast.OpOr;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;

/**
 * Finds charges that are neither true, false nor a number, as far as the type of their
 * value is known at start-up.
 */
final class KnownChargeType {

	static final String REMEDY = "Write an expression that is true, false or a number, such as status >= 400, "
			+ "exception != null or result.size().";

	private static final Set<String> NO_NUMBERS = Set.of("clientAddress", "principal", "path", "method", "session",
			"request", "target", "exception");

	private static final Set<String> STATUS = Set.of("status", "#root.status");

	private static final Set<String> NOTHING = Set.of("0", "false");

	private KnownChargeType() {
	}

	/**
	 * Checks a charge.
	 * @param charge the expression
	 * @param text the expression as it is written
	 * @param place where it is written
	 */
	static void check(SpelNode charge, String text, ExpressionPlace place) {
		if (charge instanceof Ternary || charge instanceof Elvis) {
			for (int i = (charge instanceof Ternary) ? 1 : 0; i < charge.getChildCount(); i++) {
				check(charge.getChild(i), text, place);
			}
			return;
		}
		String obstacle = obstacle(charge, place.method());
		if (obstacle != null) {
			throw place.invalid(text,
					"is neither true, false nor a number: " + charge.toStringAST() + " is " + obstacle, REMEDY, null);
		}
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

	private static @Nullable String obstacle(SpelNode node, @Nullable Method method) {
		if (node instanceof StringLiteral || node instanceof InlineList || node instanceof InlineMap) {
			return "neither of them";
		}
		if (node instanceof PropertyOrFieldReference property) {
			if (NO_NUMBERS.contains(property.getName())) {
				return "neither of them";
			}
			return (method != null && property.getName().equals("result"))
					? obstacle(ResolvableType.forMethodReturnType(method)) : null;
		}
		return (node instanceof VariableReference variable && method != null) ? obstacle(variable, method) : null;
	}

	private static @Nullable String obstacle(VariableReference variable, Method method) {
		int index = ExpressionPlace.index(variable.toStringAST().substring(1), method);
		return (index >= 0) ? obstacle(ResolvableType.forMethodParameter(method, index)) : null;
	}

	private static @Nullable String obstacle(ResolvableType type) {
		Class<?> plain = ClassUtils.resolvePrimitiveIfNecessary(type.resolve(Object.class));
		if (isLater(plain)) {
			return type.hasGenerics() ? obstacle(type.getGeneric(0)) : null;
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
