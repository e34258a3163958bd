package io.github.ratelimit.web.servlet;

import java.io.IOException;

import io.github.ratelimit.RateLimitExceededException;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * Enforces the rules that need nobody to be authenticated, and answers what is rejected
 * further inside where Spring MVC does not. Decides, and does not wait: a delay is waited
 * for after all filters have run.
 */
final class RateLimitFilter implements Filter {

	private final RuleEnforcement rules;

	private final ServletRateLimits limits;

	private final RateLimitRejections rejections;

	private final DelayedDispatch dispatch;

	/**
	 * Creates the filter.
	 * @param rules the rules
	 * @param limits what all requests share
	 * @param rejections answers those that are rejected
	 * @param dispatch tells whether the server is about to stop, and may not tell of the
	 * end of requests any more
	 */
	RateLimitFilter(RuleEnforcement rules, ServletRateLimits limits, RateLimitRejections rejections,
			DelayedDispatch dispatch) {
		this.rules = rules;
		this.limits = limits;
		this.rejections = rejections;
		this.dispatch = dispatch;
	}

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		if (request instanceof HttpServletRequest http && response instanceof HttpServletResponse httpResponse
				&& this.limits.limiting) {
			filter(http, httpResponse, chain);
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
		BoundRequest bound = limited.isBound() ? null : BoundRequest.bind(request, response);
		try {
			proceed(limited, request, response, chain);
		}
		catch (ServletException | RuntimeException ex) {
			limited.noteException(ex);
			limited.use(request, response);
			if (!answer(ex, limited, request, response)) {
				limited.thrown = true;
				AbortedResponse.abort(ex, response);
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
			CompletedRequests.endDispatch(request, limited, this.limits.listening && this.dispatch.isRunning());
			if (bound != null) {
				bound.unbind();
			}
			limited.servedBy = servedBefore;
		}
	}

	private void proceed(LimitedServletRequest limited, HttpServletRequest request, HttpServletResponse response,
			FilterChain chain) throws IOException, ServletException {
		switch (request.getDispatcherType()) {
			case REQUEST, FORWARD -> {
				limited.match(request);
				this.rules.enforce(limited, request, response, chain);
			}
			case ERROR -> {
				limited.forgoWait();
				Object thrown = request.getAttribute(RequestDispatcher.ERROR_EXCEPTION);
				if (thrown instanceof Throwable failure) {
					limited.noteException(failure);
				}
				if (!answer(thrown, limited, request, response)) {
					chain.doFilter(request, response);
				}
			}
			default -> {
				chain.doFilter(request, response);
			}
		}
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

}
