package io.github.ratelimit.expression;

import java.security.Principal;
import java.util.function.Function;

import io.github.ratelimit.request.CallOutcome;
import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;

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
		RequestReads.Read read = RequestReads.read(node);
		if (read != null) {
			return ofRequest(read.word().equals("claim")
					? (request) -> ExpressionRoot.TokenClaims.find(request.principal(), read.name()) : read.reader());
		}
		if (node instanceof PropertyOrFieldReference property) {
			return outcome(property.getName());
		}
		return (node instanceof CompoundExpression) ? path(node.toStringAST()) : null;
	}

	private static ParsedExpression.@Nullable Evaluator path(String text) {
		return switch (text) {
			case "principal.name" -> ofRequest(Shortcuts::principalName);
			case "session.id" -> ofRequest(RequestView::session);
			default -> null;
		};
	}

	private static ParsedExpression.@Nullable Evaluator outcome(String name) {
		return switch (name) {
			case "authenticationFailed" -> ofOutcome(CallOutcome::authenticationFailed);
			case "result" -> ofOutcome(CallOutcome::result);
			default -> null;
		};
	}

	private static @Nullable String principalName(RequestView request) {
		Principal principal = request.principal();
		return (principal != null) ? principal.getName() : null;
	}

	private static ParsedExpression.Evaluator ofOutcome(Function<CallOutcome, @Nullable Object> value) {
		return (context) -> {
			CallOutcome outcome = context.outcome();
			return (outcome != null) ? value.apply(outcome) : null;
		};
	}

	private static ParsedExpression.Evaluator ofRequest(Function<RequestView, @Nullable Object> value) {
		return (context) -> {
			RequestView request = context.request();
			return (request != null) ? value.apply(request) : null;
		};
	}

}
