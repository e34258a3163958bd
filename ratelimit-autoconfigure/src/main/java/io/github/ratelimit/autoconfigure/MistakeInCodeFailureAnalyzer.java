package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.UnknownPolicyException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * Analyzes limits that cannot be and policies that do not exist, where the application's
 * own code builds or asks for them.
 */
@Order(1)
class MistakeInCodeFailureAnalyzer extends AbstractFailureAnalyzer<IllegalArgumentException> {

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, IllegalArgumentException cause) {
		if (cause instanceof UnknownPolicyException unknown) {
			return analysis(rootFailure, cause,
					Suggestion.of(unknown.policy(), unknown.known()) + " Or add the policy to ratelimit.policies.");
		}
		if (cause instanceof InvalidRateLimitException invalid) {
			return analysis(rootFailure, cause, invalid.action());
		}
		return null;
	}

	private FailureAnalysis analysis(Throwable rootFailure, Throwable cause, String action) {
		BeanCreationException creation = findCause(rootFailure, BeanCreationException.class);
		String bean = (creation != null) ? " The bean '" + creation.getBeanName() + "' cannot be created." : "";
		return new FailureAnalysis(cause.getMessage() + "." + bean, action, cause);
	}

}
