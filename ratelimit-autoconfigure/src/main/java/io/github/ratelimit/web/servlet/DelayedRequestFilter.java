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
 * Lets a request wait after all other filters, if its servlet is not Spring MVC's, where
 * {@link DelayedHandlerAdapter} does so even later.
 */
public final class DelayedRequestFilter implements Filter {

	private final ServletPaths paths;

	private final DelayedDispatch dispatch;

	/**
	 * Creates the filter.
	 * @param paths knows which requests go to Spring MVC
	 * @param dispatch lets requests wait
	 */
	public DelayedRequestFilter(ServletPaths paths, DelayedDispatch dispatch) {
		this.paths = paths;
		this.dispatch = dispatch;
	}

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		if (mayProceed(request, response)) {
			try {
				chain.doFilter(request, response);
			}
			finally {
				if (this.dispatch.isAnyoneInTheRoom()) {
					UnusedPlaces.leave(request);
				}
			}
		}
	}

	private boolean mayProceed(ServletRequest request, ServletResponse response) throws IOException, ServletException {
		if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse httpResponse)
				|| !waits(http) || this.paths.isForDispatcher(http)) {
			return true;
		}
		try {
			return this.dispatch.mayProceed(http, httpResponse);
		}
		catch (IOException | ServletException | RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new ServletException(ex);
		}
	}

	private static boolean waits(HttpServletRequest request) {
		LimitedServletRequest limits = LimitedServletRequest.find(request);
		return limits != null && limits.waits();
	}

}
