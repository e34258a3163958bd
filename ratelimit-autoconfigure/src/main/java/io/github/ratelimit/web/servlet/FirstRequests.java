package io.github.ratelimit.web.servlet;

import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.web.RateLimitRule;
import io.github.ratelimit.web.RequestedPath;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpMethod;

/**
 * Looks at the first thousand requests, and then no more: finds rules that none of them
 * matched, and requests that match a rule and were answered before our filter saw them.
 */
final class FirstRequests {

	private static final int REQUESTS = 1000;

	private static final int UNSEEN = 10;

	private final ServletRateLimits limits;

	private final RateLimitFindings findings;

	private final AtomicInteger requests = new AtomicInteger();

	private final AtomicInteger unseen = new AtomicInteger();

	/* Rules that come with a change of the configuration have a thousand of their own. */
	private volatile ServletRateLimits.@Nullable Rules counted;

	private volatile boolean over;

	FirstRequests(ServletRateLimits limits, RateLimitFindings findings) {
		this.limits = limits;
		this.findings = findings;
	}

	/**
	 * Looks at a request that is over.
	 * @param request the request
	 * @param seen whether our filter has seen it
	 */
	void look(HttpServletRequest request, boolean seen) {
		if (this.over) {
			return;
		}
		ServletRateLimits.Rules rules = this.limits.rules;
		if (rules != this.counted) {
			this.counted = rules;
			this.requests.set(0);
		}
		boolean unseen = !seen && this.limits.limiting && request.getDispatcherType() == DispatcherType.REQUEST
				&& !HttpMethod.OPTIONS.matches(request.getMethod());
		if (unseen || !rules.afterSecurity.isEmpty()) {
			RequestedPath path = this.limits.paths.of(request, null);
			// a request that Spring Security turns down never comes to the rules behind
			// it
			RateLimitRule.note(rules.afterSecurity, path);
			RateLimitRule first = unseen ? RateLimitRule.note(rules.beforeSecurity, path) : null;
			if (first != null) {
				noteUnseen(first);
			}
		}
		if (this.requests.incrementAndGet() == REQUESTS) {
			this.over = true;
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

}
