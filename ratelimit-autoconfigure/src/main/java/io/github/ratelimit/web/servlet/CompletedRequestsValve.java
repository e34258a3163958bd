package io.github.ratelimit.web.servlet;

import java.io.IOException;

import io.github.ratelimit.findings.RateLimitFindings;
import jakarta.servlet.ServletException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/**
 * Notices the end of requests on an embedded Tomcat, in place of a listener: where there
 * is any listener, Tomcat makes an event of each attribute that is set or removed, some
 * thirty for a request, which costs more than all else that we do to it.
 *
 * @since 0.1.0
 */
public final class CompletedRequestsValve extends ValveBase {

	private final CompletedRequests completed;

	private CompletedRequestsValve(CompletedRequests completed) {
		super(true);
		this.completed = completed;
	}

	/**
	 * Creates the valve of an engine, behind which error pages have been shown. No
	 * listener is added from then on.
	 * @param limits what all requests share
	 * @param findings where it is added what is wrong with rules
	 * @return the valve
	 */
	public static CompletedRequestsValve inPlaceOfListener(ServletRateLimits limits, RateLimitFindings findings) {
		limits.noteValve();
		return new CompletedRequestsValve(new CompletedRequests(limits, findings, true));
	}

	/*
	 * A request that goes on asynchronously comes here once more for each dispatch. What
	 * is outside of all applications has no context.
	 */
	@Override
	public void invoke(Request request, Response response) throws IOException, ServletException {
		boolean begun = request.isAsync();
		getNext().invoke(request, response);
		if (!begun && request.getContext() != null) {
			this.completed.end(request);
		}
	}

}
