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

	private final RuleEnforcement rules;

	private final ServletRateLimits limits;

	/**
	 * Creates the filter.
	 * @param rules the rules
	 * @param limits what all requests share
	 */
	RuleFilter(RuleEnforcement rules, ServletRateLimits limits) {
		this.rules = rules;
		this.limits = limits;
	}

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		if (request instanceof HttpServletRequest http && response instanceof HttpServletResponse httpResponse) {
			LimitedServletRequest known = LimitedServletRequest.find(http);
			this.rules.enforce((known != null) ? known : LimitedServletRequest.of(http, httpResponse, this.limits),
					http, httpResponse, chain);
		}
		else {
			chain.doFilter(request, response);
		}
	}

}
