package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.annotation.RateLimited;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.Order;

/**
 * Failure analyzer for attributes of {@link RateLimited} that contradict each other, and
 * for aliases of them that cannot be. Spring itself finds both, and names what is wrong.
 */
@Order(0)
class ContradictoryAttributesFailureAnalyzer extends AbstractFailureAnalyzer<AnnotationConfigurationException> {

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable failure, AnnotationConfigurationException mistake) {
		String message = String.valueOf(mistake.getMessage());
		if (!message.contains(RateLimited.class.getName())) {
			return null;
		}
		return new FailureAnalysis(message,
				"Correct the annotation: name a policy once, as value or as policy, and write @AliasFor with an "
						+ "attribute that @RateLimited has, and with its type.",
				mistake);
	}

}
