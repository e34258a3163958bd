package io.github.ratelimit.web.servlet;

import java.io.IOException;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Comes after all other filters. Enforces all rules once more for a request whose path or
 * method one of them has changed, and lets a request wait if its servlet is not Spring
 * MVC's, where {@link DelayedHandlerAdapter} does so even later.
 */
final class InnermostFilter implements Filter {

	private final RuleEnforcement rules;

	private final ServletPaths paths;

	private final DelayedDispatch dispatch;

	/**
	 * Creates the filter.
	 * @param rules all rules
	 * @param paths knows which requests go to Spring MVC
	 * @param dispatch lets requests wait
	 */
	InnermostFilter(RuleEnforcement rules, ServletPaths paths, DelayedDispatch dispatch) {
		this.rules = rules;
		this.paths = paths;
		this.dispatch = dispatch;
	}

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		LimitedServletRequest limited = (request instanceof HttpServletRequest http) ? LimitedServletRequest.find(http)
				: null;
		if (limited == null || !(request instanceof HttpServletRequest http)
				|| !(response instanceof HttpServletResponse httpResponse)) {
			chain.doFilter(request, response);
		}
		else {
			if (limited.isCharged()) {
				limited.noteUser(http);
			}
			filter(limited, http, httpResponse, chain);
		}
	}

	private void filter(LimitedServletRequest limited, HttpServletRequest http, HttpServletResponse httpResponse,
			FilterChain chain) throws IOException, ServletException {
		if (http.getDispatcherType() != DispatcherType.FORWARD && limited.isRewritten(http)) {
			this.rules.enforce(limited, http, httpResponse, (open, openResponse) -> proceed(limited,
					(HttpServletRequest) open, (HttpServletResponse) openResponse, chain));
		}
		else {
			proceed(limited, http, httpResponse, chain);
		}
	}

	/*
	 * Nothing comes between this filter and the servlet. Only Spring MVC's may meet more
	 * limits.
	 */
	private void proceed(LimitedServletRequest limited, HttpServletRequest request, HttpServletResponse response,
			FilterChain chain) throws IOException, ServletException {
		if (!this.paths.isForDispatcher(request) && !mayProceed(limited, request, response)) {
			return;
		}
		chain.doFilter(request, response);
	}

	private boolean mayProceed(LimitedServletRequest limited, HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		limited.expose();
		try {
			return !limited.waits() || this.dispatch.mayProceed(request, response);
		}
		catch (IOException | ServletException | RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new ServletException(ex);
		}
	}

}
