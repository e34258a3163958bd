package io.github.ratelimit.expression;

import org.springframework.expression.spel.standard.SpelExpression;

/**
 * An expression whose names are all known, and what it needs to be evaluated.
 *
 * @param expression the expression
 * @param needsArguments whether it reads the method's arguments
 * @param principal whether it reads the authenticated user
 */
record ParsedExpression(SpelExpression expression, boolean needsArguments, PrincipalUse principal) {
}
