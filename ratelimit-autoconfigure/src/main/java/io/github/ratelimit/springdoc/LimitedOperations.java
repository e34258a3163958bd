package io.github.ratelimit.springdoc;

import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.web.HeaderFamily;
import io.github.ratelimit.web.RateLimitRule;
import io.swagger.v3.oas.models.Operation;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springdoc.core.customizers.GlobalOperationCustomizer;

import org.springframework.web.method.HandlerMethod;

/**
 * Creates what documents limited operations.
 *
 * @since 0.1.0
 */
public final class LimitedOperations {

	private final RejectionDocumentation documentation;

	/**
	 * Creates the documentation.
	 * @param families the families of header fields that are sent
	 * @param ownAnswer whether the application answers rejections itself
	 */
	public LimitedOperations(Collection<HeaderFamily> families, boolean ownAnswer) {
		this.documentation = new RejectionDocumentation(families, ownAnswer);
	}

	/**
	 * Documents annotated handlers.
	 * @param methods the limits of methods
	 * @return the customizer
	 */
	public GlobalOperationCustomizer ofHandlers(RateLimitedMethods methods) {
		return new LimitedHandlers(methods, this.documentation);
	}

	/**
	 * Documents what rules apply to.
	 * @param rules the rules that are in force when a document is made
	 * @param prefix what the paths of rules begin with and those of operations do not
	 * @return the customizer
	 */
	public GlobalOpenApiCustomizer ofRules(Supplier<List<RateLimitRule>> rules, String prefix) {
		return new LimitedPaths(rules, prefix, this.documentation);
	}

	/**
	 * Documents the operations of annotated handlers.
	 */
	static final class LimitedHandlers implements GlobalOperationCustomizer {

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

}
