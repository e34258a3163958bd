package io.github.ratelimit.web.servlet;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.enforce.WaitingRoom;
import io.github.ratelimit.web.ClientAddressResolver;
import io.github.ratelimit.web.RateLimitHeaders;

/**
 * What all servlet requests share when their limits are enforced.
 *
 * @since 0.1.0
 */
public final class ServletRateLimits {

	final RateLimitClock clock;

	final ClientAddressResolver clientAddresses;

	final RateLimitHeaders headers;

	final ExposedHeaders exposed;

	final RateLimiterRegistry registry;

	final WaitingRoom room;

	final long longestWaitNanos;

	/* Whether any policy limits a request. */
	volatile boolean limiting;

	/* Whether any policy makes a request wait. */
	volatile boolean delaying;

	/**
	 * Creates the shared part.
	 * @param clock this process' clock, which measures delays
	 * @param clientAddresses finds the client's address
	 * @param headers renders the response's header fields
	 * @param exposed lets scripts of other origins read these
	 * @param registry knows all policies
	 * @param room where requests wait
	 * @param longestWaitNanos a policy that could delay a request for longer does not
	 * delay it
	 */
	public ServletRateLimits(RateLimitClock clock, ClientAddressResolver clientAddresses, RateLimitHeaders headers,
			ExposedHeaders exposed, RateLimiterRegistry registry, WaitingRoom room, long longestWaitNanos) {
		this.clock = clock;
		this.clientAddresses = clientAddresses;
		this.headers = headers;
		this.exposed = exposed;
		this.registry = registry;
		this.room = room;
		this.longestWaitNanos = longestWaitNanos;
		registry.observe((limiter) -> {
			this.limiting = true;
			if (limiter.policy().delays()) {
				this.delaying = true;
			}
		});
	}

}
