package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.enforce.PermitRequest;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.expression.RequestView;
import io.github.ratelimit.web.RateLimitRule;
import io.github.ratelimit.web.RequestedPath;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.cors.CorsUtils;

/**
 * Enforces the rules that match a request.
 *
 * @since 0.1.0
 */
public final class RuleEnforcement {

	private final List<RateLimitRule> rules;

	private final ServletPaths paths;

	private final ServletRateLimits limits;

	private final RateLimitRejections rejections;

	/**
	 * Creates the enforcement.
	 * @param rules the rules
	 * @param paths finds the path that the rules are matched with
	 * @param limits what all requests share
	 * @param rejections answers those that are rejected
	 */
	public RuleEnforcement(List<RateLimitRule> rules, ServletPaths paths, ServletRateLimits limits,
			RateLimitRejections rejections) {
		this.rules = List.copyOf(rules);
		this.paths = paths;
		this.limits = limits;
		this.rejections = rejections;
	}

	/**
	 * Takes what the matching rules ask for, or answers the request.
	 * @param request the request
	 * @param response the response
	 * @return the response to go on with, or {@code null} if the request was rejected and
	 * is answered
	 */
	@Nullable HttpServletResponse pass(HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		if (this.rules.isEmpty() || isExempt(request)) {
			return response;
		}
		RequestedPath path = new ServletRequestedPath(this.paths, request);
		LimitedServletRequest limited = null;
		List<PermitRequest> asked = new ArrayList<>(1);
		for (int i = 0; i < this.rules.size(); i++) {
			RateLimitRule rule = this.rules.get(i);
			if (rule.matches(request.getMethod(), path)) {
				limited = (limited != null) ? limited : LimitedServletRequest.of(request, response, this.limits);
				RequestView view = new RuleView(limited, request, rule.pattern(), path);
				PermitRequest permit = rule.binding().resolve(RateLimitContext.of(view));
				if (permit != null) {
					asked.add(permit);
				}
			}
		}
		if (limited == null || asked.isEmpty()) {
			return response;
		}
		if (limited.acquisition().takeOnce(asked, true)) {
			return limited.reportLater(response);
		}
		this.rejections.reject(limited, request, response);
		ObservedPattern.set(limited.acquisition().rejection(), this.rules, request, path);
		return null;
	}

	/*
	 * Only Spring MVC answers a pre-flight request without running a handler. No client
	 * can ask for a view, and what a pattern's variables would make of its path is
	 * nobody's key.
	 */
	private boolean isExempt(HttpServletRequest request) {
		if (request.getDispatcherType() == DispatcherType.FORWARD) {
			String path = request.getServletPath();
			if (path.startsWith("/WEB-INF/") || path.startsWith("/META-INF/")) {
				return true;
			}
		}
		return CorsUtils.isPreFlightRequest(request) && this.paths.isForDispatcher(request);
	}

}
