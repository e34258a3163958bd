package io.github.ratelimit.web.servlet;

import java.util.Map;

import io.github.ratelimit.web.RequestedPath;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The view of a request that a rule applies to.
 */
final class RuleView extends ServletRequestView {

	private final PathPattern pattern;

	private final RequestedPath path;

	RuleView(HttpServletRequest request, RequestLimits limits, ServletRateLimits shared, PathPattern pattern,
			RequestedPath path) {
		super(request, limits, shared);
		this.pattern = pattern;
		this.path = path;
	}

	@Override
	public String path() {
		return this.pattern.getPatternString();
	}

	@Override
	Map<String, String> pathVariables() {
		PathContainer parsed = this.path.parsed();
		PathPattern.PathMatchInfo match = (parsed != null) ? this.pattern.matchAndExtract(parsed) : null;
		return (match != null) ? match.getUriVariables() : Map.of();
	}

}
