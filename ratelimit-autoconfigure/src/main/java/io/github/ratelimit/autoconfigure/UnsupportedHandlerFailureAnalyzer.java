package io.github.ratelimit.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * Analyzes annotated handlers of a kind that cannot be limited.
 */
@Order(0)
class UnsupportedHandlerFailureAnalyzer extends AbstractFailureAnalyzer<UnsupportedHandlerException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, UnsupportedHandlerException cause) {
		return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
	}

}
