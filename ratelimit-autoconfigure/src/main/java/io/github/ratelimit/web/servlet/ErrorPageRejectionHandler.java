package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
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

import org.springframework.http.MediaType;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.accept.ContentNegotiationManager;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.servlet.ModelAndView;

/**
 * Answers with the application's error page where the request prefers HTML, and with a
 * problem otherwise. Renders the page itself: an error dispatch would run the filters
 * again, and Spring Security might reject that with another status.
 */
final class ErrorPageRejectionHandler extends RateLimitRejections.ProblemRejectionHandler {

	private static final Log logger = LogFactory.getLog(ErrorPageRejectionHandler.class);

	private final BiFunction<HttpServletRequest, HttpServletResponse, @Nullable ModelAndView> errorPage;

	private final Supplier<ContentNegotiationManager> negotiation;

	private final MvcRateLimits mvc;

	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Creates the handler.
	 * @param mvc renders the page
	 * @param errorPage finds the page for the error that the request's attributes tell
	 * of, and gives {@code null} if there is none
	 * @param negotiation gives what the application negotiates content with, when it is
	 * first needed
	 * @param problem answers those that want no page
	 */
	ErrorPageRejectionHandler(MvcRateLimits mvc,
			BiFunction<HttpServletRequest, HttpServletResponse, @Nullable ModelAndView> errorPage,
			Supplier<ContentNegotiationManager> negotiation, RateLimitProblem problem) {
		super(problem);
		this.errorPage = errorPage;
		this.negotiation = SingletonSupplier.of(negotiation);
		this.mvc = mvc;
	}

	@Override
	public void handle(HttpServletRequest request, HttpServletResponse response, RateLimitPolicy policy,
			RateLimitDecision decision) throws IOException, ServletException {
		if (!prefersHtml(request) || !showPage(request, response, policy, decision)) {
			super.handle(request, response, policy, decision);
		}
	}

	/*
	 * As Spring MVC chooses between two handler methods, of which one produces HTML and
	 * the other says nothing: those of Spring Boot's error controller.
	 */
	private boolean prefersHtml(HttpServletRequest request) {
		try {
			for (MediaType accepted : this.negotiation.get().resolveMediaTypes(new ServletWebRequest(request))) {
				if (accepted.includes(MediaType.TEXT_HTML)) {
					return !accepted.isWildcardType();
				}
			}
		}
		catch (HttpMediaTypeNotAcceptableException ex) {
			// what cannot be understood is no preference
		}
		return false;
	}

	/*
	 * A page that fails must not make a failure of a rejection. Anybody can cause another
	 * one, so that only the first is worth a warning.
	 */
	private boolean showPage(HttpServletRequest request, HttpServletResponse response, RateLimitPolicy policy,
			RateLimitDecision decision) throws IOException, ServletException {
		try {
			return renderPage(request, response, policy, decision);
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

	private boolean renderPage(HttpServletRequest request, HttpServletResponse response, RateLimitPolicy policy,
			RateLimitDecision decision) throws IOException, ServletException {
		int status = status(decision).value();
		// those that a container sets before it asks for an error page
		Map<String, Object> attributes = Map.of(RequestDispatcher.ERROR_STATUS_CODE, status,
				RequestDispatcher.ERROR_MESSAGE, RateLimitProblem.title(decision), RequestDispatcher.ERROR_REQUEST_URI,
				request.getRequestURI());
		Map<String, @Nullable Object> before = new HashMap<>();
		attributes.forEach((name, value) -> {
			before.put(name, request.getAttribute(name));
			request.setAttribute(name, value);
		});
		try {
			ModelAndView page = this.errorPage.apply(request, response);
			if (page == null || page.isEmpty()) {
				return false;
			}
			page.addObject("policy", policy.name());
			long retryAfter = RateLimitHeaders.retryAfterSeconds(decision);
			if (retryAfter > 0) {
				page.addObject("retryAfter", retryAfter);
			}
			clear(response);
			response.setStatus(status);
			this.mvc.render(page, request, response);
			return true;
		}
		finally {
			// null removes
			before.forEach(request::setAttribute);
		}
	}

}
