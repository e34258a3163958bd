package io.github.ratelimit.web.servlet;

import java.io.IOException;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * The application's own handlers of rejections, if its web framework has such a thing.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RejectionExceptionHandlers {

	/**
	 * Has the application handle the rejection of a request that has no handler yet.
	 * @param request the request
	 * @param response the response
	 * @param policy the policy that rejected
	 * @param decision its decision
	 * @return {@code true} if the application has answered; {@code false} if it has no
	 * handler that names the exception
	 * @throws IOException if the answer cannot be written
	 * @throws ServletException if the answer fails otherwise
	 */
	boolean handle(HttpServletRequest request, HttpServletResponse response, RateLimitPolicy policy,
			RateLimitDecision decision) throws IOException, ServletException;

}
