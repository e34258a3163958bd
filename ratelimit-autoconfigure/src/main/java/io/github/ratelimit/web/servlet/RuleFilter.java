package io.github.ratelimit.web.servlet;

import java.io.IOException;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Enforces the rules that need the authenticated user, after Spring Security.
 */
final class RuleFilter extends HttpFilter {

	private final ServletRateLimits limits;

	private final RuleEnforcement rules;

	/**
	 * Creates the filter.
	 * @param rejections answers those that are rejected
	 */
	RuleFilter(RateLimitRejections rejections) {
		this.limits = rejections.limits;
		this.rules = new RuleEnforcement(rejections);
	}

	@Override
	protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		LimitedServletRequest limited = LimitedServletRequest.of(request, response, this.limits);
		if (this.rules.pass(limited.rules.afterSecurity(), limited, request, response)) {
			chain.doFilter(request, response);
		}
	}

}
