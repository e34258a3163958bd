package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.web.RateLimitHeaders;
import io.github.ratelimit.web.RateLimitProblem;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.ModelAndView;

/**
 * The application's error page for rejections. Renders it itself: an error dispatch would
 * run the filters again, and Spring Security might reject that with another status.
 *
 * @param mvc renders views
 * @param errorPage gives what finds the page
 * @param warned whether it was logged that the page has failed
 */
record ErrorPages(MvcRateLimits mvc,
		Supplier<BiFunction<HttpServletRequest, HttpServletResponse, @Nullable ModelAndView>> errorPage,
		AtomicBoolean warned) {

	private static final Log logger = LogFactory.getLog(ErrorPages.class);

	/*
	 * A page that fails must not make a failure of a rejection. Anybody can cause another
	 * one, so that only the first is worth a warning.
	 */
	boolean show(HttpServletRequest request, HttpServletResponse response, RateLimitPolicy policy,
			RateLimitDecision decision, int status) throws IOException, ServletException {
		// those that a container sets before it asks for an error page
		request.setAttribute(RequestDispatcher.ERROR_STATUS_CODE, status);
		request.setAttribute(RequestDispatcher.ERROR_MESSAGE, RateLimitProblem.title(decision));
		request.setAttribute(RequestDispatcher.ERROR_REQUEST_URI, request.getRequestURI());
		try {
			ModelAndView page = this.errorPage.get().apply(request, response);
			if (page == null || page.isEmpty()) {
				return false;
			}
			page.addObject("policy", policy.name());
			long retryAfter = RateLimitHeaders.retryAfterSeconds(decision);
			if (retryAfter > 0) {
				page.addObject("retryAfter", retryAfter);
			}
			RateLimitRejections.clear(response);
			response.setStatus(status);
			this.mvc.render(page, request, response);
			return true;
		}
		catch (IOException | ServletException | RuntimeException ex) {
			if (response.isCommitted()) {
				throw ex;
			}
			if (!(ex instanceof IOException) && this.warned.compareAndSet(false, true)) {
				logger.warn("The error page for rejected requests failed, so that they are answered with a problem",
						ex);
			}
			return false;
		}
	}

}
