package io.github.ratelimit.web.servlet;

import java.util.Map;

import io.github.ratelimit.expression.RequestView;
import jakarta.servlet.http.HttpServletRequest;

/**
 * The view of a request whose handler is known. The attributes are those of Spring MVC's
 * {@code HandlerMapping}, by name, because bean methods are also called where there is no
 * Spring MVC.
 */
final class HandlerView {

	private static final String PATTERN = "org.springframework.web.servlet.HandlerMapping.bestMatchingPattern";

	private static final String VARIABLES = "org.springframework.web.servlet.HandlerMapping.uriTemplateVariables";

	private HandlerView() {
	}

	static RequestView of(HttpServletRequest request, ServletRateLimits limits) {
		Object pattern = request.getAttribute(PATTERN);
		String path = (pattern != null) ? pattern.toString() : request.getServletPath();
		return limits.view(request, path, () -> variables(request));
	}

	@SuppressWarnings("unchecked")
	private static Map<String, String> variables(HttpServletRequest request) {
		Object variables = request.getAttribute(VARIABLES);
		return (variables instanceof Map) ? (Map<String, String>) variables : Map.of();
	}

}
