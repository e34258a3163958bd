package io.github.ratelimit.expression;

import org.springframework.expression.spel.standard.SpelExpression;

/**
 * An expression whose names are all known, and what it needs to be evaluated.
 *
 * @param expression the expression
 * @param needsArguments whether it reads the method's arguments
 * @param needsResult whether it reads what the method returns
 * @param needsStatus whether it reads the response's status
 * @param needsAuthentication whether it reads that an authentication has failed
 * @param principal whether it reads the authenticated user
 */
record ParsedExpression(SpelExpression expression, boolean needsArguments, boolean needsResult, boolean needsStatus,
		boolean needsAuthentication, PrincipalUse principal) {
}
