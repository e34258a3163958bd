package io.github.ratelimit.expression;

import org.springframework.expression.spel.standard.SpelExpression;

/**
 * An expression whose every name is known, and what it needs before it can be evaluated.
 *
 * @param expression the expression
 * @param needsArguments whether it reads the method's arguments
 * @param principal whether it reads the authenticated user
 */
record ParsedExpression(SpelExpression expression, boolean needsArguments, PrincipalUse principal) {
}
