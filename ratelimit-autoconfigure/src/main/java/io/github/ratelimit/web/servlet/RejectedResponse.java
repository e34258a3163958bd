package io.github.ratelimit.web.servlet;

import io.github.ratelimit.RateLimitDecision;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;

/**
 * The response of a rejected request, which keeps its header fields if the application
 * begins it anew.
 */
final class RejectedResponse extends HttpServletResponseWrapper {

	private final LimitedServletRequest limited;

	private final RateLimitDecision rejection;

	RejectedResponse(HttpServletResponse response, LimitedServletRequest limited, RateLimitDecision rejection) {
		super(response);
		this.limited = limited;
		this.rejection = rejection;
	}

	@Override
	public void reset() {
		super.reset();
		this.limited.reportRejection(this.rejection);
	}

}
