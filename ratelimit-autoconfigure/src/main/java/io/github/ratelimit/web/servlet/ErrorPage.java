package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.web.HeaderSettings;
import io.github.ratelimit.web.RateLimitProblem;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.ModelAndView;

/**
 * Answers rejected requests with the application's error page. It renders the page
 * itself: an error dispatch would run the filters again, and Spring Security might reject
 * that with another status.
 */
final class ErrorPage {

	private static final Log logger = LogFactory.getLog(ErrorPage.class);

	private final Supplier<BiFunction<HttpServletRequest, HttpServletResponse, @Nullable ModelAndView>> page;

	private final Supplier<ViewRenderer> views;

	/* Whether it was logged that the page has failed. */
	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Creates the answer.
	 * @param page gives what finds the page for the error that is described by a
	 * request's attributes, when it is first needed
	 * @param views gives what renders the page
	 */
	ErrorPage(Supplier<BiFunction<HttpServletRequest, HttpServletResponse, @Nullable ModelAndView>> page,
			Supplier<ViewRenderer> views) {
		this.page = SingletonSupplier.of(page);
		this.views = views;
	}

	/**
	 * Shows the page. One that fails must not make a failure of a rejection.
	 * @return {@code false} if there is none, or it has failed
	 */
	boolean show(HttpServletRequest request, HttpServletResponse response, RateLimitPolicy policy,
			RateLimitDecision decision, int status) throws IOException, ServletException {
		// those that a container sets before it asks for an error page
		request.setAttribute(RequestDispatcher.ERROR_STATUS_CODE, status);
		request.setAttribute(RequestDispatcher.ERROR_MESSAGE, RateLimitProblem.title(decision));
		request.setAttribute(RequestDispatcher.ERROR_REQUEST_URI, request.getRequestURI());

		try {
			ModelAndView found = this.page.get().apply(request, response);
			if (found == null || found.isEmpty()) {
				return false;
			}
			describe(found, policy, decision);
			RateLimitRejections.clear(response);
			response.setStatus(status);
			this.views.get().render(found, request, response);
			return true;
		}
		catch (IOException | ServletException | RuntimeException ex) {
			if (response.isCommitted()) {
				throw ex;
			}
			if (!(ex instanceof IOException)) {
				warnOnce(ex);
			}
			return false;
		}
	}

	private static void describe(ModelAndView page, RateLimitPolicy policy, RateLimitDecision decision) {
		page.addObject("policy", policy.name());
		long retryAfter = HeaderSettings.retryAfterSeconds(decision);
		if (retryAfter > 0) {
			page.addObject("retryAfter", retryAfter);
		}
	}

	/*
	 * Anybody can cause another failure, so that only the first is worth a warning.
	 */
	private void warnOnce(Exception failure) {
		if (this.warned.compareAndSet(false, true)) {
			logger.warn("The error page for rejected requests failed, so that they are answered with a problem",
					failure);
		}
	}

}
