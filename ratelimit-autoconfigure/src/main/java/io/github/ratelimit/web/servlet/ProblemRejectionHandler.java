package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.web.RateLimitProblem;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/**
 * Answers with a problem: 429, or 503 if the store could not decide.
 */
class ProblemRejectionHandler implements RateLimitRejectionHandler {

	private final RateLimitProblem problem;

	/**
	 * Creates the handler.
	 * @param problem renders the body
	 */
	ProblemRejectionHandler(RateLimitProblem problem) {
		this.problem = problem;
	}

	@Override
	public void handle(HttpServletRequest request, HttpServletResponse response, RateLimitPolicy policy,
			RateLimitDecision decision) throws IOException, ServletException {
		byte[] body = this.problem.body(policy, decision);
		clear(response);
		response.setStatus(status(decision).value());
		response.setContentType(RateLimitProblem.MEDIA_TYPE);
		try {
			response.getOutputStream().write(body);
		}
		catch (IllegalStateException ex) {
			// somebody has begun to write characters
			response.getWriter().write(new String(body, StandardCharsets.US_ASCII));
		}
	}

	static HttpStatus status(RateLimitDecision decision) {
		return decision.unavailable() ? HttpStatus.SERVICE_UNAVAILABLE : HttpStatus.TOO_MANY_REQUESTS;
	}

	/**
	 * Takes back what the handler was about to write.
	 * @param response the response, not committed
	 */
	static void clear(HttpServletResponse response) {
		response.resetBuffer();
		if (response.containsHeader(HttpHeaders.CONTENT_LENGTH)) {
			response.setContentLength(-1);
		}
	}

}
