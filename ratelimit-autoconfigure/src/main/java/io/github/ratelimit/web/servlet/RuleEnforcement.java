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

import org.springframework.web.cors.CorsUtils;

/**
 * Enforces the rules that match a request.
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
	 * @return {@code false} if the request was rejected and is answered
	 */
	boolean pass(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
		if (this.rules.isEmpty() || isPreFlight(request) || isForView(request)) {
			return true;
		}
		RequestedPath path = new ServletRequestedPath(this.paths, request);
		LimitedServletRequest limited = null;
		List<PermitRequest> asked = new ArrayList<>(1);
		for (int i = 0; i < this.rules.size(); i++) {
			RateLimitRule rule = this.rules.get(i);
			if (rule.matches(request.getMethod(), path)) {
				limited = (limited != null) ? limited : LimitedServletRequest.of(request, response, this.limits);
				RequestView view = new RuleView(limited, rule.pattern(), path);
				PermitRequest permit = rule.binding().resolve(RateLimitContext.of(view));
				if (permit != null) {
					asked.add(permit);
				}
			}
		}
		return limited == null || asked.isEmpty() || take(asked, limited, request, response);
	}

	/*
	 * No client can ask for what is there, and what a pattern's variables would make of
	 * it is nobody's key.
	 */
	private static boolean isForView(HttpServletRequest request) {
		return request.getDispatcherType() == DispatcherType.FORWARD
				&& (request.getServletPath().startsWith("/WEB-INF/")
						|| request.getServletPath().startsWith("/META-INF/"));
	}

	/* Only Spring MVC answers it without running a handler. */
	private boolean isPreFlight(HttpServletRequest request) {
		return CorsUtils.isPreFlightRequest(request) && this.paths.isForDispatcher(request);
	}

	private boolean take(List<PermitRequest> asked, LimitedServletRequest limited, HttpServletRequest request,
			HttpServletResponse response) throws IOException, ServletException {
		if (limited.acquisition().takeOnce(asked)) {
			limited.report();
			return true;
		}
		this.rejections.reject(limited, request, response);
		return false;
	}

}
