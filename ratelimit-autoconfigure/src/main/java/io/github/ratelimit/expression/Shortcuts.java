package io.github.ratelimit.expression;

import java.security.Principal;
import java.util.function.Function;

import io.github.ratelimit.request.CallOutcome;
import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Literal;

/**
 * Evaluators of the most common expressions, without SpEL.
 */
final class Shortcuts {

	private Shortcuts() {
	}

	/**
	 * Finds the shortcut of an expression.
	 * @param node the expression
	 * @return its evaluator, or {@code null} if it needs SpEL
	 */
	static ParsedExpression.@Nullable Evaluator find(SpelNode node) {
		if (node instanceof Literal literal) {
			Object value = literal.getLiteralValue().getValue();
			return (context) -> value;
		}
		Function<RequestView, @Nullable Object> ofRequest = ofRequest(node);
		if (ofRequest != null) {
			return (context) -> context.ofRequest(ofRequest);
		}
		return switch (node.toStringAST()) {
			case "authenticationFailed" -> (context) -> context.ofOutcome(CallOutcome::authenticationFailed);
			case "result" -> (context) -> context.ofOutcome(CallOutcome::result);
			default -> null;
		};
	}

	private static @Nullable Function<RequestView, @Nullable Object> ofRequest(SpelNode node) {
		RequestReads.Read read = RequestReads.read(node);
		if (read != null) {
			return read.word().equals("claim") ? (request) -> SecurityUsers.claim(request.principal(), read.name())
					: read.reader();
		}
		return switch (node.toStringAST()) {
			case "principal.name" -> Shortcuts::principalName;
			case "session.id" -> RequestView::session;
			default -> null;
		};
	}

	private static @Nullable String principalName(RequestView request) {
		Principal principal = request.principal();
		return (principal != null) ? principal.getName() : null;
	}

}
