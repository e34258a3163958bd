package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.web.RateLimitRule;
import io.github.ratelimit.web.RequestedPath;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletRequestEvent;
import jakarta.servlet.ServletRequestListener;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpMethod;

/**
 * Settles what requests have reserved when the server has done with them: only then is
 * their status the one that the client gets, whichever error page or outer filter has set
 * it. Places to wait that were never used are freed then, too.
 * <p>
 * The first thousand requests under the same rules show rules that none of them matched,
 * and requests that match a rule and were answered before our filter saw them.
 */
final class CompletedRequests implements ServletRequestListener {

	private static final int REQUESTS = 1000;

	private static final int UNSEEN = 10;

	private final ServletRateLimits limits;

	private final RateLimitFindings findings;

	private final AtomicInteger requests = new AtomicInteger();

	private final AtomicInteger unseen = new AtomicInteger();

	/* Rules that come with a change of the configuration have a thousand of their own. */
	private volatile ServletRateLimits.@Nullable Rules counted;

	private final boolean errorsShown;

	/**
	 * Creates the listener.
	 * @param limits what all requests share
	 * @param findings where it is added what is wrong with rules
	 * @param errorsShown whether the server has shown an error page by the time that it
	 * tells of the end of a request; if not, an exception is taken for a 500
	 */
	CompletedRequests(ServletRateLimits limits, RateLimitFindings findings, boolean errorsShown) {
		this.limits = limits;
		this.findings = findings;
		this.errorsShown = errorsShown;
	}

	@Override
	public void requestDestroyed(ServletRequestEvent event) {
		if (event.getServletRequest() instanceof HttpServletRequest request) {
			LimitedServletRequest limited = this.limits.charging ? LimitedServletRequest.find(request) : null;
			if (limited != null && limited.isCharged() && !goesOn(request, limited)) {
				limited.settle(this.errorsShown);
			}
			look(request);
		}
	}

	private void look(HttpServletRequest request) {
		ServletRateLimits.Rules rules = this.limits.rules;
		if (rules != this.counted) {
			this.counted = rules;
			this.requests.set(0);
		}
		else if (this.requests.get() >= REQUESTS) {
			return;
		}
		boolean unseen = this.limits.limiting && LimitedServletRequest.find(request) == null
				&& request.getDispatcherType() == DispatcherType.REQUEST
				&& !HttpMethod.OPTIONS.matches(request.getMethod());
		if (unseen || !rules.afterSecurity.isEmpty()) {
			RequestedPath path = new ServletPaths.ServletPath(this.limits.paths, request, null);
			// a request that Spring Security turns down never comes to the rules behind
			// it
			rules.afterSecurity.forEach((rule) -> rule.applies(path));
			List<RateLimitRule> missed = unseen
					? rules.beforeSecurity.stream().filter((rule) -> rule.applies(path)).toList() : List.of();
			if (!missed.isEmpty()) {
				noteUnseen(missed.get(0));
			}
		}
		if (this.requests.incrementAndGet() == REQUESTS) {
			rules.all.stream().filter((each) -> !each.hasMatched()).forEach(this::reportUnmatched);
		}
	}

	private void noteUnseen(RateLimitRule rule) {
		if (this.unseen.incrementAndGet() == UNSEEN) {
			this.findings.report(FindingCode.EARLIER_FILTER, rule.binding().limiter().policy().name(), "filters",
					"Requests that match the rule " + rule.pattern() + " were answered before the filter of the rate "
							+ "limits, so that they are not limited.");
		}
	}

	private void reportUnmatched(RateLimitRule rule) {
		String policy = rule.binding().limiter().policy().name();
		this.findings.report(FindingCode.UNMATCHED_RULE, policy, rule.toString(), "The rule " + rule
				+ " of the policy '" + policy + "' has matched none of the first thousand requests.");
	}

	/**
	 * Watches a request that goes on asynchronously. Frees the place of one that was to
	 * wait, but is over. Settles it where the server does not tell of its end. What it
	 * forwards to, or shows for its errors, is part of it.
	 * @param request the request
	 * @param limited what is known of it
	 * @param told whether the server tells of its end
	 */
	static void endDispatch(HttpServletRequest request, LimitedServletRequest limited, boolean told) {
		if (goesOn(request, limited)) {
			return;
		}
		limited.leave();
		DispatcherType dispatch = request.getDispatcherType();
		if (!told && (dispatch == DispatcherType.REQUEST || dispatch == DispatcherType.ASYNC)) {
			limited.settle(false);
		}
	}

	/*
	 * Whether a request goes on asynchronously: then its end is told when it is complete.
	 */
	private static boolean goesOn(HttpServletRequest request, LimitedServletRequest limited) {
		if (!request.isAsyncStarted()) {
			return false;
		}
		try {
			if (!limited.watched) {
				request.getAsyncContext().addListener(new Completion(limited));
				limited.watched = true;
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
			this.limited.leave();
			this.limited.settle(true);
		}

		@Override
		public void onTimeout(AsyncEvent event) {
			if (!this.limited.isAnsweredInTime()) {
				this.limited.settleUnfinished();
			}
		}

		@Override
		public void onError(AsyncEvent event) {
			Throwable failure = event.getThrowable();
			if (failure instanceof IOException || failure instanceof TimeoutException) {
				this.limited.settleUnfinished();
			}
			else if (failure != null) {
				this.limited.noteException(failure);
			}
		}

		@Override
		public void onStartAsync(AsyncEvent event) {
			event.getAsyncContext().addListener(this);
		}

	}

}
