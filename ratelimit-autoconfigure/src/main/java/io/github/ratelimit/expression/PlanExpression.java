package io.github.ratelimit.expression;

import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.StringLiteral;

/**
 * The plan that a caller has.
 *
 * @param atHand whether it is evaluated on the request's own thread: it calls no bean, or
 * it needs the request itself, which is gone afterwards
 */
record PlanExpression(ParsedExpression parsed, Evaluator evaluator, RequestReads reads, boolean atHand) {

	private static final Set<String> GETTERS = Set.of("getRequest", "getPrincipal", "getClientAddress", "getPath",
			"getMethod", "getSession");

	static PlanExpression of(ParsedExpression parsed, Evaluator evaluator) {
		SpelNode expression = parsed.expression().getAST();
		return new PlanExpression(parsed, evaluator, RequestReads.find(expression),
				!callsBean(expression) || needsRequest(expression));
	}

	private static boolean callsBean(SpelNode node) {
		boolean calls = node instanceof BeanReference;
		for (int i = 0; i < node.getChildCount(); i++) {
			calls |= callsBean(node.getChild(i));
		}
		return calls;
	}

	/* What a text does not tell cannot be noted. */
	private static boolean needsRequest(SpelNode node) {
		String name = NodeNames.of(node);
		boolean needs = name.equals("request") || GETTERS.contains(name) || NodeNames.isRoot(node, false)
				|| RequestReads.FUNCTIONS.contains(name) && !isOfLiteral(node);
		for (int i = 0; i < node.getChildCount(); i++) {
			needs |= needsRequest(node.getChild(i));
		}
		return needs;
	}

	private static boolean isOfLiteral(SpelNode function) {
		return function.getChildCount() == 1 && function.getChild(0) instanceof StringLiteral;
	}

	@Nullable String name(RateLimitContext context) {
		return KeyText.of(this.evaluator.evaluate(context), this.parsed.expression().getExpressionString());
	}

}
