package io.github.ratelimit.web.servlet;

import java.io.IOException;

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

	private final MvcRateLimits mvc;

	private final RateLimitRejections rejections;

	/**
	 * Creates the resolver.
	 * @param mvc has the application's exception handlers
	 * @param rejections answers where there is none
	 */
	RateLimitExceptionResolver(MvcRateLimits mvc, RateLimitRejections rejections) {
		this.mvc = mvc;
		this.rejections = rejections;
	}

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception ex) {
		LimitedServletRequest known = LimitedServletRequest.find(request);
		if (known != null) {
			known.noteException(ex);
		}
		RateLimitExceededException rejection = RateLimitRejections.find(ex);
		if (rejection == null || response.isCommitted() || request.getDispatcherType() == DispatcherType.INCLUDE) {
			return null;
		}
		LimitedServletRequest limited = LimitedServletRequest.of(request, response, this.rejections.limits);
		HttpServletResponse rejected = this.rejections.report(rejection, limited, response);
		ModelAndView answer = this.mvc.resolve(request, rejected, handler, rejection);
		if (answer != null) {
			return answer;
		}
		try {
			this.rejections.write(rejection.policy(), rejection.decision(), request, rejected);
			return new ModelAndView();
		}
		catch (IOException failure) {
			logger.debug("Failed to answer a request that a rate limit rejected; its client may be gone", failure);
			return null;
		}
		catch (ServletException failure) {
			throw new IllegalStateException("Failed to answer a request that a rate limit rejected", failure);
		}
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

}
