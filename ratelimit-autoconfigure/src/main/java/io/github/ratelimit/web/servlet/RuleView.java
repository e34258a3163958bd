package io.github.ratelimit.web.servlet;

import java.util.List;
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

	/*
	 * The cleanest reading comes first: a resource has many spellings, and a variable
	 * that differed by them would give a client many budgets for it.
	 */
	@Override
	Map<String, String> pathVariables() {
		List<PathContainer> readings = this.path.readings();
		for (int i = readings.size() - 1; i >= 0; i--) {
			PathPattern.PathMatchInfo match = this.pattern.matchAndExtract(readings.get(i));
			if (match != null) {
				return match.getUriVariables();
			}
		}
		PathContainer parsed = this.path.parsed();
		PathPattern.PathMatchInfo match = (parsed != null) ? this.pattern.matchAndExtract(parsed) : null;
		return (match != null) ? match.getUriVariables() : Map.of();
	}

}
