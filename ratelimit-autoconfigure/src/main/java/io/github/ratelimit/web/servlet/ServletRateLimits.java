package io.github.ratelimit.web.servlet;

import java.util.List;
import java.util.function.Consumer;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.request.CurrentRequest;
import io.github.ratelimit.request.LimitedRequest;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.web.RateLimitHeaders;
import io.github.ratelimit.web.address.ClientAddressResolver;
import io.github.ratelimit.web.rules.RateLimitRule;
import jakarta.servlet.ServletContext;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * What all servlet requests share when their limits are enforced. Finds the one that a
 * thread is serving.
 *
 * @since 0.1.0
 */
public final class ServletRateLimits implements CurrentRequest, Consumer<List<RateLimitRule>> {

	final ClientAddressResolver clientAddresses;

	final RateLimitHeaders headers;

	final RateLimiterRegistry registry;

	final WaitingRoom room;

	final long longestWaitNanos;

	final DelayedDispatch dispatch;

	final ServletPaths paths = new ServletPaths();

	/* Whether the server tells when it has done with a request. */
	volatile boolean listening;

	/* Whether any policy limits a request. */
	volatile boolean limiting;

	/* Whether any policy charges by outcome. */
	volatile boolean charging;

	/* Whether any policy makes a request wait. */
	volatile boolean delaying;

	/* The rules that requests begin with. */
	volatile RateLimitRule.InForce rules = new RateLimitRule.InForce(List.of());

	/**
	 * Creates the shared part.
	 * @param clientAddresses finds the client's address
	 * @param headers renders the response's header fields
	 * @param registry knows all policies
	 * @param room where requests wait
	 * @param longestWaitNanos a policy that could delay a request for longer does not
	 * delay it
	 * @param dispatch lets requests wait, and tells whether the server is about to stop
	 */
	public ServletRateLimits(ClientAddressResolver clientAddresses, RateLimitHeaders headers,
			RateLimiterRegistry registry, WaitingRoom room, long longestWaitNanos, DelayedDispatch dispatch) {
		this.clientAddresses = clientAddresses;
		this.headers = headers;
		this.registry = registry;
		this.room = room;
		this.longestWaitNanos = longestWaitNanos;
		this.dispatch = dispatch;
		registry.observe((limiter) -> {
			this.limiting = true;
			if (limiter.policy().charge() != null) {
				this.charging = true;
			}
			if (limiter instanceof StoreRateLimiter store && store.isDelaying()) {
				this.delaying = true;
			}
		});
	}

	/**
	 * Enforces rules in place of those before. Requests that are under way keep the rules
	 * that they began with.
	 * @param rules the rules, which do not change
	 */
	@Override
	public void accept(List<RateLimitRule> rules) {
		this.rules = new RateLimitRule.InForce(rules);
	}

	@Override
	public @Nullable LimitedRequest find() {
		return LimitedServletRequest.current(this);
	}

	/**
	 * Listens for the end of requests, to settle what they have reserved. The first of
	 * them show what is wrong with rules.
	 * @param context the application on its server
	 * @param findings where that is added
	 */
	public void listen(ServletContext context, RateLimitFindings findings) {
		context.addListener(new CompletedRequests(this, findings, context.getServerInfo().contains("Tomcat")));
		this.listening = true;
	}

	/**
	 * Notices authentications that fail or succeed, with Spring Security.
	 * @return what listens for their events, and puts another manager in the place of
	 * each that may publish none
	 */
	public static BeanPostProcessor authenticationOutcomes() {
		return new AuthenticationOutcomes();
	}

}
