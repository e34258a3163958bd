package io.github.ratelimit.web.servlet;

import java.io.IOException;

import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.web.address.AddressGate;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Decides on requests by their client's address, before all filters but those that find
 * that out. It is there only where the configuration exempts or denies addresses.
 *
 * @since 0.1.0
 */
public final class AddressFilter extends HttpFilter {

	private final transient ServletRateLimits limits;

	/**
	 * Creates the filter.
	 * @param limits has what operators have decided of addresses
	 */
	public AddressFilter(ServletRateLimits limits) {
		this.limits = limits;
	}

	@Override
	protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		AddressGate gate = this.limits.gate;
		if (gate == null || pass(gate, request, response, this.limits)) {
			chain.doFilter(request, response);
		}
	}

	/**
	 * Decides on a request by its client's address, and answers it if that is denied.
	 * @return {@code false} if it has been denied
	 */
	static boolean pass(AddressGate gate, HttpServletRequest request, HttpServletResponse response,
			ServletRateLimits limits) throws IOException {
		Kind decided = gate.decide(request.getRemoteAddr(), request::getHeaders);
		if (decided == null) {
			return true;
		}

		if (limits.rules().isWatched()) {
			request.setAttribute(AddressGate.DECIDED, decided);
		}
		if (decided == Kind.DENY) {
			RateLimitRejections.deny(response);
			return false;
		}
		LimitedServletRequest.of(request, response, limits).exempt();
		return true;
	}

}
