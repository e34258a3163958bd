package io.github.ratelimit.web.servlet;

import java.io.IOException;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.enforce.Acquisition;
import io.github.ratelimit.enforce.LimitedHttpRequest;
import io.github.ratelimit.expression.CallOutcome;
import io.github.ratelimit.web.HeaderFieldSetter;
import io.github.ratelimit.web.HeaderName;
import io.github.ratelimit.web.RateLimitHeaders;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.util.DisconnectedClientHelper;

/**
 * A servlet request whose response tells what the policies have said: once for all of
 * them, as late as possible, and again when the application has changed the response.
 */
abstract class ReportedServletRequest extends LimitedHttpRequest {

	final ServletRateLimits limits;

	HttpServletRequest request;

	private @Nullable HttpServletResponse response;

	/* Whether the response does not tell yet what the policies have said. */
	volatile boolean reportPending;

	private boolean reported;

	private boolean reporting;

	/* What rejected the request, once its client is told when to come back. */
	private @Nullable RateLimitDecision rejection;

	/* Whether the request has left its filters with an exception. */
	volatile boolean thrown;

	/* Whether a servlet has the response without our wrapper around it. */
	private boolean unwatched;

	ReportedServletRequest(ServletRateLimits limits, HttpServletRequest request,
			@Nullable HttpServletResponse response) {
		super(new Acquisition(limits.clock, limits.room, limits.longestWaitNanos));
		this.limits = limits;
		this.request = request;
		this.response = response;
	}

	/**
	 * Notes how the current dispatch has the request.
	 * @param request the request
	 * @param response the response, or {@code null} if the request was bound without
	 */
	final void use(HttpServletRequest request, @Nullable HttpServletResponse response) {
		this.request = request;
		if (response != null) {
			this.response = response;
		}
	}

	/**
	 * Settles what the request has reserved, now that its status is final. Spring MVC
	 * answers nothing to an exception whose message reads like a lost connection.
	 * @param errorShown whether an exception has its status by now
	 */
	final void settle(boolean errorShown) {
		HttpServletResponse response = ReportingResponse.innermost(this.response);
		int status = (response != null) ? response.getStatus() : HttpServletResponse.SC_OK;
		boolean pending = status == HttpServletResponse.SC_OK && (response == null || !response.isCommitted())
				&& (this.thrown && !errorShown || DisconnectedClientHelper.isClientDisconnectedException(exception()));
		settle(pending ? HttpServletResponse.SC_INTERNAL_SERVER_ERROR : status);
	}

	/**
	 * Reports what the policies have said so far, but not yet: other policies may follow,
	 * and the header fields are set once for all.
	 * @param request the request as a filter has it
	 * @param response the response as a filter has it
	 * @param chain how to go on
	 */
	void reportLater(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		this.reportPending = true;
		this.request = (request instanceof ReportingRequest) ? request : new ReportingRequest(request, this);
		chain.doFilter(this.request, watch(response));
	}

	/**
	 * Settles a request that the server ends while the application may still work for it:
	 * by the status that its client has seen, or else as if all that it has reserved were
	 * used.
	 */
	final void settleUnfinished() {
		HttpServletResponse response = ReportingResponse.innermost(this.response);
		if (response != null && response.isCommitted()) {
			settle(true);
		}
		else {
			settle(CallOutcome.UNKNOWN);
		}
	}

	@Override
	public void noteException(Throwable exception) {
		if (!Disconnection.isCauseOf(exception)) {
			super.noteException(exception);
		}
	}

	/**
	 * Sees what becomes of a response, which decides whether it has our fields.
	 * @param response the response as a filter has it
	 * @return the response to go on with
	 */
	HttpServletResponse watch(HttpServletResponse response) {
		return (response instanceof ReportingResponse) ? response : new ReportingResponse(response, this);
	}

	/**
	 * Gives a response to a servlet that needs the container's own.
	 * @param response the response as a filter has it
	 * @return the response to go on with
	 */
	HttpServletResponse unwatch(HttpServletResponse response) {
		this.unwatched = true;
		return ReportingResponse.original(response);
	}

	/**
	 * Reports what is pending at the end of a dispatch, unless another thread has the
	 * response by now.
	 * @param request the request as the dispatch began
	 * @param response the response as the dispatch began
	 */
	void endDispatch(HttpServletRequest request, HttpServletResponse response) {
		if ((this.reportPending || this.unwatched) && !request.isAsyncStarted()) {
			use(request, response);
			report();
		}
	}

	/**
	 * Sets the header fields for what the policies have said so far, in place of earlier
	 * ones. Leaves a committed response alone. What is included may commit it, but cannot
	 * set fields, and a response that a servlet has redirected ignores the fields of
	 * those around it, so that they go to the server's own response.
	 */
	synchronized void report() {
		this.reportPending = false;
		boolean innermost = this.unwatched || this.request.getDispatcherType() == DispatcherType.INCLUDE;
		HttpServletResponse response = innermost ? ReportingResponse.innermost(this.response)
				: ReportingResponse.original(this.response);
		if (response != null) {
			report(response, RateLimitHeaders.isSentWith(response.getStatus()));
		}
	}

	private void report(HttpServletResponse response, boolean sent) {
		HeaderFields fields = HeaderFields.of(response);
		if (fields.areSent()) {
			return;
		}
		this.reporting = true;
		try {
			if (sent) {
				this.limits.headers.write(entries(), fields);
				if (this.rejection != null) {
					restoreRetry(this.rejection, response);
				}
				this.limits.exposed.apply(this.request, response);
			}
			else {
				withdraw(fields::remove);
			}
			this.reported = sent;
		}
		finally {
			this.reporting = false;
		}
	}

	/* The application may have removed them, or set its own. */
	private void restoreRetry(RateLimitDecision rejection, HttpServletResponse response) {
		if (!response.containsHeader(HeaderName.RETRY_AFTER.text())) {
			this.limits.headers.writeRetry(rejection, HeaderFields.of(response));
		}
	}

	private void withdraw(HeaderFieldSetter fields) {
		if (this.reported) {
			this.limits.headers.write(entries(), fields);
		}
		if (this.rejection != null) {
			this.limits.headers.writeRetry(this.rejection, fields);
		}
	}

	/**
	 * Takes the header fields away before a redirection: what remains is no reason not to
	 * follow it.
	 */
	synchronized void withdraw() {
		this.reportPending = false;
		HttpServletResponse response = ReportingResponse.original(this.response);
		if (response != null) {
			report(response, false);
		}
	}

	/**
	 * Sets or takes away the header fields as a changed status has it.
	 */
	void reportStatus() {
		if (!this.reportPending) {
			report();
		}
	}

	/**
	 * Sets the header fields again, after the application has set one of them.
	 */
	void reportAgain() {
		if (this.reported && !this.reporting && !this.reportPending) {
			report();
		}
	}

	/**
	 * Notes that the application has removed all header fields.
	 */
	void restore() {
		this.reported = false;
		this.reportPending = true;
	}

	/**
	 * Tells a rejected client when to come back.
	 * @param decision the decision that rejected its request
	 * @param response the response, which is left alone if it is committed
	 */
	void reportRetry(RateLimitDecision decision, HttpServletResponse response) {
		if (!response.isCommitted()) {
			this.limits.headers.writeRetry(decision, HeaderFields.of(ReportingResponse.original(response)));
			this.limits.exposed.apply(this.request, response);
			this.rejection = decision;
		}
	}

	@Override
	public void report(Acquisition acquisition) {
		if (this.response != null) {
			add(acquisition);
			report();
		}
	}

}
