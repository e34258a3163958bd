package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitExceededException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Answers requests whose handler, or a bean that it called, was rejected: like any other
 * rejection, unless the application has an exception handler of its own for it.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class RejectionResolver implements HandlerExceptionResolver {

	private static final Log logger = LogFactory.getLog(RejectionResolver.class);

	private final RateLimitRejections rejections;

	private final Supplier<SpecificHandlers> handlers;

	/**
	 * Creates the resolver.
	 * @param rejections answers those that the application does not handle
	 * @param handlers gives the application's exception handlers
	 */
	RejectionResolver(RateLimitRejections rejections, Supplier<SpecificHandlers> handlers) {
		this.rejections = rejections;
		this.handlers = handlers;
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
		this.rejections.refund(rejection, limited);
		HttpServletResponse rejected = RateLimitRejections.beginAnswer(rejection, limited, request, response);
		ModelAndView answer = this.handlers.get().resolveException(request, rejected, handler, rejection);
		if (answer != null) {
			return answer;
		}
		return write(rejection, request, rejected);
	}

	private @Nullable ModelAndView write(RateLimitExceededException rejection, HttpServletRequest request,
			HttpServletResponse rejected) {
		try {
			this.rejections.write(rejection, request, rejected);
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

}
