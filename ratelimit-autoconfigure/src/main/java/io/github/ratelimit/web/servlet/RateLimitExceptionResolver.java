package io.github.ratelimit.web.servlet;

import java.io.IOException;

import io.github.ratelimit.LogBudget;
import io.github.ratelimit.RateLimitExceededException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Answers requests whose handler, or a bean that it called, was rejected: like any other
 * rejection, unless the application has an exception handler of its own for it.
 */
final class RateLimitExceptionResolver implements HandlerExceptionResolver, Ordered {

	private static final Log logger = LogFactory.getLog(RateLimitExceptionResolver.class);

	private final MvcRejectionHandlers handlers;

	private final RateLimitRejections rejections;

	private final LogBudget budget;

	/**
	 * Creates the resolver.
	 * @param handlers the application's exception handlers
	 * @param rejections answers where there is none
	 */
	RateLimitExceptionResolver(MvcRejectionHandlers handlers, RateLimitRejections rejections) {
		this.handlers = handlers;
		this.rejections = rejections;
		this.budget = new LogBudget(rejections.limits.clock);
	}

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception ex) {
		LimitedServletRequest limited = LimitedServletRequest.find(request);
		if (limited != null) {
			limited.noteException(ex);
		}
		RateLimitExceededException rejection = RateLimitRejections.find(ex);
		if (rejection == null || response.isCommitted() || request.getDispatcherType() == DispatcherType.INCLUDE) {
			return null;
		}
		HttpServletResponse rejected = this.rejections.report(rejection, request, response);
		ModelAndView answer = this.handlers.resolve(request, rejected, handler, rejection);
		if (answer != null) {
			return answer;
		}
		try {
			this.rejections.write(request, rejected, rejection);
			return new ModelAndView();
		}
		catch (IOException failure) {
			logger.debug("Failed to answer a request that a rate limit rejected; its client may be gone", failure);
			return null;
		}
		catch (ServletException failure) {
			if (this.budget.take()) {
				logger.warn("Failed to answer a request that a rate limit rejected" + this.budget.leftOut("failure"),
						failure);
			}
			else {
				this.budget.leaveOut();
			}
			return null;
		}
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

}
