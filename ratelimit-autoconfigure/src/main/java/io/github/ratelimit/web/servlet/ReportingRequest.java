package io.github.ratelimit.web.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

/**
 * The request that belongs to a {@link ReportingResponse}. What suspends a request
 * without saying with which response goes on with the server's own, so that the header
 * fields are set before.
 */
final class ReportingRequest extends HttpServletRequestWrapper {

	private final ReportedServletRequest limited;

	ReportingRequest(HttpServletRequest request, ReportedServletRequest limited) {
		super(request);
		this.limited = limited;
	}

	/**
	 * The request without this wrapper around it.
	 */
	static HttpServletRequest original(HttpServletRequest request) {
		return (request instanceof ReportingRequest reporting) ? (HttpServletRequest) reporting.getRequest() : request;
	}

	@Override
	public AsyncContext startAsync() {
		if (this.limited.reportPending) {
			this.limited.report();
		}
		return super.startAsync();
	}

}
