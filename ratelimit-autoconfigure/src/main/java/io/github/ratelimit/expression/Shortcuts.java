package io.github.ratelimit.expression;

import java.security.Principal;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Literal;

/**
 * Evaluators of the most common expressions, without SpEL.
 */
final class Shortcuts {

	private static final Word PRINCIPAL = new Word("principal", "");

	private Shortcuts() {
	}

	/**
	 * Finds the shortcut of an expression.
	 * @param node the expression
	 * @return its evaluator, or {@code null} if it needs SpEL
	 */
	static @Nullable Function<RateLimitContext, @Nullable Object> find(SpelNode node) {
		if (node instanceof Literal literal) {
			Object value = literal.getLiteralValue().getValue();
			return (context) -> value;
		}
		Word word = Word.of(node);
		if (word != null) {
			return word::in;
		}
		return switch (node.toStringAST()) {
			case "principal.name" -> Shortcuts::principalName;
			case "session.id" -> new Word("session", "")::in;
			default -> null;
		};
	}

	private static @Nullable String principalName(RateLimitContext context) {
		return (PRINCIPAL.in(context) instanceof Principal principal) ? principal.getName() : null;
	}

}
