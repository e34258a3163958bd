package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.expression.InvalidExpressionException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * Analyzes keys, costs and conditions that cannot be used where they stand.
 */
@Order(0)
class InvalidExpressionFailureAnalyzer extends AbstractFailureAnalyzer<InvalidExpressionException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidExpressionException cause) {
		return new FailureAnalysis(cause.getMessage() + ".", cause.action(), cause);
	}

}
