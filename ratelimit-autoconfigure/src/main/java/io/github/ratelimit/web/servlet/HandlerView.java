package io.github.ratelimit.web.servlet;

import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;

/**
 * The view of a request whose handler is known. The attributes are those of Spring MVC's
 * {@code HandlerMapping}, by name, because bean methods are also called where there is no
 * Spring MVC.
 */
class HandlerView extends ServletRequestView {

	private static final String PATTERN = "org.springframework.web.servlet.HandlerMapping.bestMatchingPattern";

	private static final String VARIABLES = "org.springframework.web.servlet.HandlerMapping.uriTemplateVariables";

	HandlerView(HttpServletRequest request, RequestLimits limits, ServletRateLimits shared) {
		super(request, limits, shared);
	}

	@Override
	public String path() {
		Object pattern = request().getAttribute(PATTERN);
		return (pattern != null) ? pattern.toString() : request().getServletPath();
	}

	@Override
	@SuppressWarnings("unchecked")
	Map<String, String> pathVariables() {
		Object variables = request().getAttribute(VARIABLES);
		return (variables instanceof Map) ? (Map<String, String>) variables : Map.of();
	}

}
