package io.github.ratelimit.web.servlet;

import java.io.IOException;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Enforces the rules that need the authenticated user, after Spring Security.
 */
final class RuleFilter implements Filter {

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
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse httpResponse)
				|| mayProceed(http, httpResponse)) {
			chain.doFilter(request, response);
		}
	}

	private boolean mayProceed(HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		LimitedServletRequest limited = LimitedServletRequest.of(request, response, this.limits);
		return this.rules.pass(limited.rules.afterSecurity(), limited, request, response);
	}

}
