package io.github.ratelimit.expression;

import java.security.Principal;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;

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
	static @Nullable Evaluator find(SpelNode node) {
		if (node instanceof Literal literal) {
			Object value = literal.getLiteralValue().getValue();
			return (context) -> value;
		}
		if (node instanceof PropertyOrFieldReference property) {
			return property(property.getName());
		}
		if (node instanceof MethodReference function && function.getChildCount() == 1
				&& function.getChild(0) instanceof StringLiteral name) {
			return function(function.getName(), String.valueOf(name.getLiteralValue().getValue()));
		}
		return (node instanceof CompoundExpression) ? path(node.toStringAST()) : null;
	}

	private static @Nullable Evaluator path(String text) {
		return switch (text) {
			case "principal.name" -> ofRequest(Shortcuts::principalName);
			case "session.id" -> ofRequest(RequestView::session);
			default -> null;
		};
	}

	private static @Nullable Evaluator property(String name) {
		return switch (name) {
			case "clientAddress" -> ofRequest(RequestView::clientAddress);
			case "principal" -> ofRequest(RequestView::principal);
			case "path" -> ofRequest(RequestView::path);
			case "method" -> ofRequest(RequestView::method);
			case "session" -> ofRequest(RequestView::session);
			case "authenticationFailed" -> ofOutcome(CallOutcome::authenticationFailed);
			case "result" -> ofOutcome(CallOutcome::result);
			default -> null;
		};
	}

	private static @Nullable Evaluator function(String function, String name) {
		return switch (function) {
			case "header" -> ofRequest((request) -> request.header(name));
			case "parameter" -> ofRequest((request) -> request.parameter(name));
			case "cookie" -> ofRequest((request) -> request.cookie(name));
			case "claim" -> ofRequest((request) -> TokenClaims.find(request.principal(), name));
			case "pathVariable" -> ofRequest((request) -> request.pathVariable(name));
			default -> null;
		};
	}

	private static @Nullable String principalName(RequestView request) {
		Principal principal = request.principal();
		return (principal != null) ? principal.getName() : null;
	}

	private static Evaluator ofOutcome(Function<CallOutcome, @Nullable Object> value) {
		return (context) -> {
			CallOutcome outcome = context.outcome();
			return (outcome != null) ? value.apply(outcome) : null;
		};
	}

	private static Evaluator ofRequest(Function<RequestView, @Nullable Object> value) {
		return (context) -> {
			RequestView request = context.request();
			return (request != null) ? value.apply(request) : null;
		};
	}

}
