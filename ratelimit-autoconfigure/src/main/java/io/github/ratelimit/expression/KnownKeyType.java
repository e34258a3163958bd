package io.github.ratelimit.expression;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Finds keys that no call can use, as far as the type of their value is known at
 * start-up.
 */
final class KnownKeyType {

	private KnownKeyType() {
	}

	/**
	 * Checks a key.
	 * @param key the expression
	 * @param text the expression as it is written
	 * @param place where it is written
	 */
	static void check(SpelNode key, String text, ExpressionPlace place) {
		if (key instanceof Ternary || key instanceof Elvis) {
			for (int i = (key instanceof Ternary) ? 1 : 0; i < key.getChildCount(); i++) {
				check(key.getChild(i), text, place);
			}
			return;
		}
		String obstacle = obstacle(key, place.method());
		if (obstacle != null) {
			throw place.invalid(text, "is no key: " + obstacle, UnusableKeyException.REMEDY, null);
		}
	}

	private static @Nullable String obstacle(SpelNode node, @Nullable Method method) {
		if (node instanceof InlineList) {
			return "a collection " + KeyText.CHANGING;
		}
		boolean request = node instanceof PropertyOrFieldReference property && property.getName().equals("request");
		if (request || NodeNames.isRoot(node, true)) {
			return node.toStringAST() + " " + KeyText.OF_A_REQUEST;
		}
		return (node instanceof VariableReference variable && method != null) ? obstacle(variable, method) : null;
	}

	private static @Nullable String obstacle(VariableReference variable, Method method) {
		int index = ExpressionPlace.index(variable.toStringAST().substring(1), method);
		Class<?> type = (index >= 0) ? method.getParameterTypes()[index] : Object.class;
		String obstacle = KeyText.obstacle(type);
		return (obstacle != null) ? "a " + type.getSimpleName() + " " + obstacle : null;
	}

}
