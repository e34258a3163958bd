package io.github.ratelimit.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * Analyzes that there is nothing to keep the state of keys in.
 */
@Order(0)
class MissingRateLimitStoreFailureAnalyzer extends AbstractFailureAnalyzer<MissingRateLimitStoreException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, MissingRateLimitStoreException cause) {
		return new FailureAnalysis(cause.getMessage(),
				"Add the dependency com.github.ben-manes.caffeine:caffeine, declare a bean of type RateLimitStore, or "
						+ "turn rate limits off with ratelimit.enabled=false.",
				cause);
	}

}
