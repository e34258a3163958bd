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
		String dependency = switch (cause.type()) {
			case CAFFEINE -> "com.github.ben-manes.caffeine:caffeine";
			case REDIS -> "org.springframework.boot:spring-boot-starter-data-redis";
		};
		return new FailureAnalysis(cause.getMessage(), "Add the dependency " + dependency
				+ ", declare a bean of type RateLimitStore, or turn rate limits off with ratelimit.enabled=false.",
				cause);
	}

}
