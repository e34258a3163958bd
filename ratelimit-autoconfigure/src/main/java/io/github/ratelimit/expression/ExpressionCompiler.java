package io.github.ratelimit.expression;

import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Makes texts into keys, costs and conditions.
 */
final class ExpressionCompiler {

	private final BeanFactory beanFactory;

	private final BeanResolver beans;

	ExpressionCompiler(BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.beans = new BeanFactoryResolver(beanFactory);
	}

	ExpressionKeyResolver key(String text, ExpressionPlace place) {
		ParsedExpression parsed = ExpressionReader.read(text, place, this.beanFactory);
		return new ExpressionKeyResolver(parsed, evaluator(parsed, place));
	}

	CostExpression cost(String text, ExpressionPlace place) {
		ParsedExpression parsed = ExpressionReader.read(text, place, this.beanFactory);
		CostExpression cost = new CostExpression(parsed, evaluator(parsed, place), place);
		checkConstant(parsed.expression(), cost::checkConstant, text, place,
				"Write a whole number from 1, or an expression that gives one, such as #items.size().");
		return cost;
	}

	ConditionExpression condition(String text, ExpressionPlace place) {
		ParsedExpression parsed = ExpressionReader.read(text, place, this.beanFactory);
		ConditionExpression condition = new ConditionExpression(parsed, evaluator(parsed, place), place);
		checkConstant(parsed.expression(), condition::of, text, place,
				"Write an expression that is true or false, such as header('X-Internal') == null.");
		return condition;
	}

	private Evaluator evaluator(ParsedExpression parsed, ExpressionPlace place) {
		Evaluator shortcut = Shortcuts.find(parsed.expression().getAST());
		return (shortcut != null) ? shortcut : new SpelEvaluator(parsed.expression(), place, this.beans);
	}

	private static void checkConstant(SpelExpression expression, ConstantCheck check, String text,
			ExpressionPlace place, String action) {
		if (isConstant(expression.getAST())) {
			try {
				check.accept(expression.getValue());
			}
			catch (RuntimeException ex) {
				throw place.invalid(text, "has the wrong type or range", action, ex);
			}
		}
	}

	private static boolean isConstant(SpelNode node) {
		if (node instanceof Literal) {
			return true;
		}
		return node instanceof Operator && IntStream.range(0, node.getChildCount())
			.mapToObj(node::getChild)
			.allMatch(ExpressionCompiler::isConstant);
	}

	@FunctionalInterface
	private interface ConstantCheck {

		void accept(@Nullable Object value);

	}

}
