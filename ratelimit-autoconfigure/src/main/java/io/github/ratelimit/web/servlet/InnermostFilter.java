package io.github.ratelimit.web.servlet;

import java.io.IOException;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Comes after all other filters. Enforces all rules once more for a request whose path or
 * method one of them has changed, and lets a request wait if its servlet is not Spring
 * MVC's, where {@link DelayedHandlerAdapter} does so even later.
 */
final class InnermostFilter extends RuleFilter {

	private final transient DelayedDispatch dispatch;

	/**
	 * Creates the filter.
	 * @param rejections answers those that are rejected
	 * @param dispatch lets requests wait
	 */
	InnermostFilter(RateLimitRejections rejections, DelayedDispatch dispatch) {
		super(rejections);
		this.dispatch = dispatch;
	}

	@Override
	protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		LimitedServletRequest limited = LimitedServletRequest.find(request);
		if (limited == null || mayProceed(limited, request, response)) {
			chain.doFilter(request, response);
		}
	}

	/*
	 * Nothing comes between this filter and the servlet. Only Spring MVC's may meet more
	 * limits.
	 */
	private boolean mayProceed(LimitedServletRequest limited, HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		if (limited.isCharged()) {
			limited.noteUser(request);
		}
		if (request.getDispatcherType() != DispatcherType.FORWARD && limited.isRewritten(request)) {
			limited.use(request, response);
			if (!pass(limited.rules.all(), limited, request, response)) {
				return false;
			}
		}
		if (this.limits.paths.isForDispatcher(request)) {
			return true;
		}
		limited.expose();
		return !limited.waits() || this.dispatch.mayProceed(limited, request, response);
	}

}
