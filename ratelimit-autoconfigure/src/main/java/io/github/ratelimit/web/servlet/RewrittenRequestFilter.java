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
 * Enforces all rules once more, after all other filters, for a request whose path or
 * method one of them has changed.
 *
 * @since 0.1.0
 */
public final class RewrittenRequestFilter implements Filter {

	private final RuleEnforcement rules;

	/**
	 * Creates the filter.
	 * @param rules all rules
	 */
	public RewrittenRequestFilter(RuleEnforcement rules) {
		this.rules = rules;
	}

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		ServletResponse open = (request instanceof HttpServletRequest http
				&& response instanceof HttpServletResponse httpResponse && isRewritten(http))
						? this.rules.pass(http, httpResponse) : response;
		if (open != null) {
			chain.doFilter(request, open);
		}
	}

	private static boolean isRewritten(HttpServletRequest request) {
		LimitedServletRequest limited = LimitedServletRequest.find(request);
		return limited != null && limited.isRewritten(request);
	}

}
