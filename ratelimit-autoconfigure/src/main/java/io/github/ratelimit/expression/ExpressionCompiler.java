package io.github.ratelimit.expression;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.BeanResolver;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Literal;

/**
 * Makes texts into keys, costs and conditions.
 */
final class ExpressionCompiler {

	private final BeanResolver beans;

	ExpressionCompiler(BeanResolver beans) {
		this.beans = beans;
	}

	ExpressionKeyResolver key(String text, ExpressionPlace place) {
		ParsedExpression parsed = ExpressionReader.read(text, place);
		return new ExpressionKeyResolver(parsed, evaluator(parsed, place));
	}

	CostExpression cost(String text, ExpressionPlace place) {
		ParsedExpression parsed = ExpressionReader.read(text, place);
		CostExpression cost = new CostExpression(parsed, evaluator(parsed, place), place);
		checkLiteral(parsed.expression().getAST(), cost::of, text, place,
				"Write a whole number from 0, or an expression that gives one, such as #items.size().");
		return cost;
	}

	ConditionExpression condition(String text, ExpressionPlace place) {
		ParsedExpression parsed = ExpressionReader.read(text, place);
		ConditionExpression condition = new ConditionExpression(parsed, evaluator(parsed, place), place);
		checkLiteral(parsed.expression().getAST(), condition::of, text, place,
				"Write an expression that is true or false, such as header('X-Internal') == null.");
		return condition;
	}

	private Evaluator evaluator(ParsedExpression parsed, ExpressionPlace place) {
		Evaluator shortcut = Shortcuts.find(parsed.expression().getAST());
		return (shortcut != null) ? shortcut : new SpelEvaluator(parsed.expression(), place, this.beans);
	}

	private static void checkLiteral(SpelNode node, LiteralCheck check, String text, ExpressionPlace place,
			String action) {
		if (node instanceof Literal literal) {
			try {
				check.accept(literal.getLiteralValue().getValue());
			}
			catch (IllegalStateException ex) {
				throw place.invalid(text, "has the wrong type or range", action, ex);
			}
		}
	}

	@FunctionalInterface
	private interface LiteralCheck {

		void accept(@Nullable Object value);

	}

}
