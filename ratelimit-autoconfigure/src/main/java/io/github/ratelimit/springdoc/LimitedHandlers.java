package io.github.ratelimit.springdoc;

import io.github.ratelimit.annotation.RateLimitedMethods;
import io.swagger.v3.oas.models.Operation;
import org.springdoc.core.customizers.GlobalOperationCustomizer;

import org.springframework.web.method.HandlerMethod;

/**
 * Documents the operations of annotated handlers.
 */
final class LimitedHandlers implements GlobalOperationCustomizer {

	private final RateLimitedMethods methods;

	private final RejectionDocumentation documentation;

	LimitedHandlers(RateLimitedMethods methods, RejectionDocumentation documentation) {
		this.methods = methods;
		this.documentation = documentation;
	}

	@Override
	public Operation customize(Operation operation, HandlerMethod handler) {
		if (this.methods.isEnforced(handler.getMethod(), handler.getBeanType())) {
			this.documentation.addTo(operation);
		}
		return operation;
	}

}
