package io.github.ratelimit.web.servlet;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.enforce.PermitLedger;
import io.github.ratelimit.enforce.PermitRequest;
import io.github.ratelimit.enforce.WaitingRoom;
import io.github.ratelimit.web.ClientAddressResolver;
import io.github.ratelimit.web.RateLimitHeaders;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * What everything that enforces limits on servlet requests shares: the request's
 * decisions so far, its view for expressions, and the headers of its response.
 */
public final class ServletRateLimits {

	private final RateLimitClock clock;

	private final ClientAddressResolver clientAddresses;

	private final RateLimitHeaders headers;

	private final RateLimiterRegistry limiter;

	private final WaitingRoom room;

	private final long longestWaitNanos;

	/**
	 * Creates the shared part.
	 * @param clock this process' clock, by which delays are waited for
	 * @param clientAddresses finds the client's address
	 * @param headers renders the response's headers
	 * @param limiter knows all policies
	 * @param room where requests wait
	 * @param longestWaitNanos policies that could make a request wait for longer do not
	 */
	public ServletRateLimits(RateLimitClock clock, ClientAddressResolver clientAddresses, RateLimitHeaders headers,
			RateLimiterRegistry limiter, WaitingRoom room, long longestWaitNanos) {
		this.clock = clock;
		this.clientAddresses = clientAddresses;
		this.headers = headers;
		this.limiter = limiter;
		this.room = room;
		this.longestWaitNanos = longestWaitNanos;
	}

	/**
	 * Whether anything can be limited.
	 */
	boolean exist() {
		return !this.limiter.policies().isEmpty();
	}

	PermitLedger newRequestLedger() {
		return new PermitLedger(this.clock, this.room, this.longestWaitNanos);
	}

	PermitLedger newCallLedger() {
		return new PermitLedger(this.clock, this.room, Long.MAX_VALUE);
	}

	RequestLimits of(HttpServletRequest request) {
		return RequestLimits.of(request, this);
	}

	String clientAddress(HttpServletRequest request, RequestLimits limits) {
		String address = limits.clientAddress();
		if (address == null) {
			address = this.clientAddresses.resolve(request.getRemoteAddr(), request::getHeaders);
			limits.clientAddress(address);
		}
		return address;
	}

	/**
	 * Tells the client what the policies have said so far, in place of what it would have
	 * been told before.
	 * @param limits the request's decisions
	 * @param response the response, which is left alone if it is committed
	 */
	void report(RequestLimits limits, HttpServletResponse response) {
		if (!response.isCommitted()) {
			this.headers.write(limits.entries(), HeaderFields.of(response));
		}
	}

	/**
	 * Tells the client when to come back.
	 * @param decision the decision that rejected its request
	 * @param response the response, which is left alone if it is committed
	 */
	void reportRetry(RateLimitDecision decision, HttpServletResponse response) {
		if (!response.isCommitted()) {
			this.headers.writeRetry(decision, HeaderFields.of(response));
		}
	}

	/**
	 * Notes a rejection that was thrown where nothing was reported.
	 * @param rejection what was thrown
	 * @param limits the request's decisions
	 */
	void note(RateLimitExceededException rejection, RequestLimits limits) {
		RateLimiter limiter = this.limiter.find(rejection.policy().name());
		if (limiter != null) {
			limits.note(new PermitLedger.Entry(PermitRequest.of(limiter, "", 0), rejection.decision()));
		}
	}

}
