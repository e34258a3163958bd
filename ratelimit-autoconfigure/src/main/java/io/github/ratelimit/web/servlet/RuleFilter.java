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
 *
 * @since 0.1.0
 */
public final class RuleFilter implements Filter {

	private final RuleEnforcement rules;

	/**
	 * Creates the filter.
	 * @param rules the rules
	 */
	public RuleFilter(RuleEnforcement rules) {
		this.rules = rules;
	}

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		ServletResponse open = (request instanceof HttpServletRequest http
				&& response instanceof HttpServletResponse httpResponse) ? this.rules.pass(http, httpResponse)
						: response;
		if (open != null) {
			chain.doFilter(request, open);
		}
	}

}
