package io.github.ratelimit.web.servlet;

import java.io.IOException;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Answers a request that was rejected. A bean of this type replaces the problem that is
 * written otherwise. The headers are set already.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RateLimitRejectionHandler {

	/**
	 * Writes the answer.
	 * @param request the request
	 * @param response the response, not committed, with its status not yet set
	 * @param policy the policy that rejected
	 * @param decision its decision
	 * @throws IOException if the answer cannot be written
	 * @throws ServletException if the answer fails otherwise
	 */
	void handle(HttpServletRequest request, HttpServletResponse response, RateLimitPolicy policy,
			RateLimitDecision decision) throws IOException, ServletException;

}
