package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.annotation.InvalidRateLimitedMethodException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * Analyzes annotations that cannot be enforced as they are written.
 */
@Order(0)
class MistakeInAnnotationFailureAnalyzer extends AbstractFailureAnalyzer<InvalidRateLimitedMethodException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidRateLimitedMethodException cause) {
		return new FailureAnalysis(cause.getMessage() + ".", cause.action(), cause);
	}

}
