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
 *
 * @since 0.1.0
 */
public final class DelayedRequestFilter implements Filter {

	private final ServletPaths paths;

	private final DelayedDispatch dispatch;

	private final DeferredUploads uploads;

	/**
	 * Creates the filter.
	 * @param paths knows which requests go to Spring MVC
	 * @param dispatch lets requests wait
	 * @param uploads lets uploads to Spring MVC be decided on before they are parsed
	 */
	public DelayedRequestFilter(ServletPaths paths, DelayedDispatch dispatch, DeferredUploads uploads) {
		this.paths = paths;
		this.dispatch = dispatch;
		this.uploads = uploads;
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
		else if (this.paths.isForDispatcher(http)) {
			HttpServletRequest deferred = this.uploads.defer(http);
			try {
				proceed(limited, deferred, httpResponse, chain);
			}
			finally {
				this.uploads.endDispatch(http, deferred);
			}
		}
		else if (mayProceed(limited, http, httpResponse)) {
			proceed(limited, http, ReportingResponse.original(httpResponse), chain);
		}
	}

	private void proceed(LimitedServletRequest limited, HttpServletRequest request, HttpServletResponse response,
			FilterChain chain) throws IOException, ServletException {
		try {
			chain.doFilter(request, response);
		}
		finally {
			if (this.dispatch.isAnyoneInTheRoom()) {
				UnusedPlaces.leave(request, limited);
			}
		}
	}

	private boolean mayProceed(LimitedServletRequest limited, HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		limited.reportPending();
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
