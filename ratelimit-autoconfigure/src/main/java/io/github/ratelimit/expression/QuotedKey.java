package io.github.ratelimit.expression;

import io.github.ratelimit.InvalidRateLimitException;

import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Finds a key that is an expression in quotes. They are easily written around an
 * expression where none are needed, as in a properties file. A single word may be meant
 * as a text.
 *
 * @param names knows the names that the expression may have
 * @param location the key
 */
record QuotedKey(KnownNames names, ExpressionLocation location) {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	/**
	 * Checks the texts that a key may be.
	 * @throws InvalidRateLimitException if one reads as an expression
	 */
	void check(SpelNode key) {
		if (key instanceof Ternary || key instanceof Elvis) {
			ExpressionNodes.children(key).forEach(this::check);
		}
		else if (key instanceof StringLiteral literal && isExpression(literal)) {
			throw this.location.invalid("is a text in quotes, which is the same key for all",
					"Write " + literal.getLiteralValue().getValue()
							+ " without the quotes; or, for one budget that all share, another text such as 'global'.");
		}
	}

	private boolean isExpression(StringLiteral literal) {
		String text = String.valueOf(literal.getLiteralValue().getValue());
		if (text.isBlank()) {
			return false;
		}
		if (text.equals("clientAddress")) {
			return true;
		}

		SpelNode quoted;
		try {
			quoted = PARSER.parseRaw(text).getAST();
		}
		catch (ParseException ex) {
			return false;
		}

		if (quoted instanceof CompoundExpression) {
			SpelNode first = quoted.getChild(0);
			return isProperty(first) || this.names.isKnown(first);
		}
		return this.names.isKnown(quoted);
	}

	private static boolean isProperty(SpelNode node) {
		return node instanceof PropertyOrFieldReference property && Word.isProperty(property.getName());
	}

}
