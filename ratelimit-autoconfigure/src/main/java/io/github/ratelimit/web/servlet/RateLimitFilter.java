package io.github.ratelimit.web.servlet;

import java.io.IOException;

import io.github.ratelimit.RateLimitExceededException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.ClientAbortException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Enforces the rules that need nobody to be authenticated, and answers what is rejected
 * further inside where Spring MVC does not. Decides, and does not wait: a delay is waited
 * for after all filters have run.
 */
final class RateLimitFilter extends RuleFilter {

	private static final boolean TOMCAT = ClassUtils.isPresent("org.apache.catalina.connector.ClientAbortException",
			RateLimitFilter.class.getClassLoader());

	private final transient DelayedDispatch dispatch;

	/**
	 * Creates the filter.
	 * @param rejections answers those that are rejected
	 * @param dispatch tells whether the server is about to stop, and may not tell of the
	 * end of requests any more
	 */
	RateLimitFilter(RateLimitRejections rejections, DelayedDispatch dispatch) {
		super(rejections);
		this.dispatch = dispatch;
	}

	@Override
	protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		if (this.limits.limiting) {
			filter(request, response, chain);
		}
		else {
			chain.doFilter(request, response);
		}
	}

	private void filter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		LimitedServletRequest limited = LimitedServletRequest.of(request, response, this.limits);
		Thread servedBefore = limited.servedBy;
		limited.servedBy = Thread.currentThread();
		try {
			if (mayProceed(limited, request, response)) {
				chain.doFilter(request, response);
			}
		}
		catch (ServletException | RuntimeException ex) {
			limited.noteException(ex);
			limited.use(request, response);
			if (!answer(ex, limited, request, response)) {
				limited.thrown = true;
				abort(ex, response);
				throw ex;
			}
			complete(request);
		}
		catch (IOException | Error ex) {
			limited.noteException(ex);
			limited.thrown = true;
			throw ex;
		}
		finally {
			if (limited.isUnfinished()) {
				CompletedRequests.endDispatch(request, limited, this.limits.listening && this.dispatch.isRunning());
			}
			limited.servedBy = servedBefore;
		}
	}

	private boolean mayProceed(LimitedServletRequest limited, HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		DispatcherType dispatch = request.getDispatcherType();
		if (dispatch == DispatcherType.REQUEST || dispatch == DispatcherType.FORWARD) {
			limited.match(request);
			return pass(limited.rules.beforeSecurity(), limited, request, response);
		}
		if (dispatch != DispatcherType.ERROR) {
			return true;
		}
		limited.forgoWait();
		Object thrown = request.getAttribute(RequestDispatcher.ERROR_EXCEPTION);
		if (thrown instanceof Throwable failure) {
			limited.noteException(failure);
		}
		return !answer(thrown, limited, request, response);
	}

	/*
	 * What suspended the request before it was rejected will not complete it.
	 */
	private static void complete(HttpServletRequest request) {
		if (request.isAsyncStarted()) {
			try {
				request.getAsyncContext().complete();
			}
			catch (IllegalStateException ex) {
				// it has been dispatched or completed already
			}
		}
	}

	private boolean answer(@Nullable Object thrown, LimitedServletRequest limited, HttpServletRequest request,
			HttpServletResponse response) throws IOException, ServletException {
		RateLimitExceededException rejection = RateLimitRejections.find(thrown);
		if (rejection == null || response.isCommitted()) {
			return false;
		}
		this.rejections.reject(rejection, limited, request, response);
		return true;
	}

	/*
	 * Ends a response that was half sent when the rest of it was rejected, as a stream
	 * may be: by the one exception that Tomcat closes the connection for without logging
	 * an error and without adding an error page to what was sent.
	 */
	private static void abort(Throwable thrown, HttpServletResponse response) throws IOException {
		if (TOMCAT && response.isCommitted() && RateLimitRejections.find(thrown) != null) {
			throw Tomcat.abort(thrown);
		}
	}

	private static final class Tomcat {

		static IOException abort(Throwable cause) {
			return new ClientAbortException(cause);
		}

	}

}
