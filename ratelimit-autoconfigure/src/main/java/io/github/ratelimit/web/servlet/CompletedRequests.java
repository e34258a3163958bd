package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.concurrent.TimeoutException;

import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.web.address.AddressGate;
import io.github.ratelimit.web.rules.RulesInForce;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletRequestEvent;
import jakarta.servlet.ServletRequestListener;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.http.HttpMethod;

/**
 * Settles what requests have reserved when the server has done with them: only then is
 * their status the one that the client gets, whichever error page or outer filter has set
 * it. Slots to wait in that were never used are freed then, too.
 * <p>
 * The first requests show what is wrong with rules.
 * <p>
 * An embedded Tomcat reports the end of requests by {@link CompletedRequestsValve}.
 */
final class CompletedRequests implements ServletRequestListener {

	private final ServletRateLimits limits;

	private final RateLimitFindings findings;

	private final boolean errorsShown;

	/* Whether any policy limits a request. */
	private volatile boolean limiting;

	/* Whether any policy charges by outcome. */
	private volatile boolean charging;

	/**
	 * Creates the listener.
	 * @param limits what all requests share
	 * @param findings where it is added what is wrong with rules
	 * @param errorsShown whether the server has shown an error page by the time that it
	 * reports the end of a request; if not, an exception is taken for a 500
	 */
	CompletedRequests(ServletRateLimits limits, RateLimitFindings findings, boolean errorsShown) {
		this.limits = limits;
		this.findings = findings;
		this.errorsShown = errorsShown;
		limits.registry.observe((limiter) -> {
			this.limiting = true;
			if (limiter.policy().charge() != null) {
				this.charging = true;
			}
		});
	}

	@Override
	public void requestDestroyed(ServletRequestEvent event) {
		if (event.getServletRequest() instanceof HttpServletRequest request) {
			end(request);
		}
	}

	/**
	 * Ends a request that the server has done with, or that goes on asynchronously, and
	 * is then settled once it is completed.
	 * @param request the request
	 */
	void end(HttpServletRequest request) {
		if (!this.charging && !this.limits.rules().isWatched()) {
			return;
		}

		LimitedServletRequest limited = LimitedServletRequest.find(request);
		if (limited == null) {
			noteEnd(this.limits.rules(), request);
			return;
		}
		if (limited.isCharged() && !followAsync(request, limited)) {
			limited.settleByResponse(this.errorsShown);
		}
		if (request.getAttribute(AddressGate.DECIDED) != null) {
			return;
		}
		if (limited.rules().mayMissTarget()) {
			limited.rules().noteTarget(path(request));
		}
		limited.rules().noteEnd(this.findings);
	}

	/*
	 * Notes the end of a request that our filter has not seen.
	 */
	private void noteEnd(RulesInForce rules, HttpServletRequest request) {
		if (!rules.isWatched() || request.getAttribute(AddressGate.DECIDED) != null) {
			return;
		}
		ServletPath path = path(request);
		rules.noteTarget(path);
		if (isToBeLimited(request)) {
			rules.noteUnseen(path, this.findings);
		}
		rules.noteEnd(this.findings);
	}

	private ServletPath path(HttpServletRequest request) {
		return new ServletPath(this.limits.mvcServlets, request, null);
	}

	private boolean isToBeLimited(HttpServletRequest request) {
		return this.limiting && request.getDispatcherType() == DispatcherType.REQUEST
				&& !HttpMethod.OPTIONS.matches(request.getMethod());
	}

	/**
	 * Watches a request that goes on asynchronously. Frees the slot of one that was to
	 * wait, but is over. Settles it where the server does not report its end, or reports
	 * that of an asynchronous request only to those who have listened since it began so.
	 * What it forwards to, or shows for its errors, is part of it.
	 * @param request the request
	 * @param limited what is known of it
	 * @param endReported whether the server reports its end
	 */
	static void endDispatch(HttpServletRequest request, LimitedServletRequest limited, boolean endReported) {
		if (followAsync(request, limited)) {
			return;
		}
		limited.releaseSlot();
		boolean unreported = switch (request.getDispatcherType()) {
			case REQUEST -> !endReported;
			case ASYNC -> !endReported || !limited.isFollowed();
			default -> false;
		};
		if (unreported) {
			limited.settleByResponse(false);
		}
	}

	/**
	 * Listens for the completion of a request that goes on asynchronously.
	 * @return {@code false} if it does not go on
	 */
	private static boolean followAsync(HttpServletRequest request, LimitedServletRequest limited) {
		if (!request.isAsyncStarted()) {
			return false;
		}
		try {
			if (!limited.isFollowed()) {
				request.getAsyncContext().addListener(new Completion(limited));
				limited.noteFollowed();
			}
			return true;
		}
		catch (IllegalStateException ex) {
			// another thread has completed it meanwhile
			return false;
		}
	}

	private record Completion(LimitedServletRequest limited) implements AsyncListener {

		@Override
		public void onComplete(AsyncEvent event) {
			this.limited.releaseSlot();
			this.limited.settleByResponse(true);
		}

		@Override
		public void onTimeout(AsyncEvent event) {
			if (!ConcurrentHandling.isAnsweredInTime(this.limited.request())) {
				this.limited.settleUnfinished();
			}
		}

		/*
		 * Of a request that fails in a dispatch of its own, on a connection that has seen
		 * another one fail so, Tomcat 11.0.24 reports this and no completion.
		 */
		@Override
		public void onError(AsyncEvent event) {
			Throwable failure = event.getThrowable();
			if (failure instanceof IOException || failure instanceof TimeoutException) {
				this.limited.settleUnfinished();
			}
			else if (failure != null) {
				this.limited.noteException(failure);
				this.limited.settleSent();
			}
		}

		@Override
		public void onStartAsync(AsyncEvent event) {
			event.getAsyncContext().addListener(this);
		}

	}

}
