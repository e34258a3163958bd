package io.github.ratelimit.web.reactive;

import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.web.address.AddressGate;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * Decides on requests by their client's address, before the application's filters. It is
 * there only where the configuration exempts or denies addresses.
 */
final class AddressWebFilter implements WebFilter, Ordered {

	private final ReactiveRateLimits limits;

	/**
	 * Creates the filter, and has no later one decide.
	 * @param limits has what operators have decided of addresses
	 */
	AddressWebFilter(ReactiveRateLimits limits) {
		this.limits = limits;
		limits.gateFirst = true;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		AddressGate gate = this.limits.gate;
		if (gate == null || pass(gate, exchange, this.limits)) {
			return chain.filter(exchange);
		}
		return RateLimitRejections.deny(exchange);
	}

	/**
	 * Decides on a request by its client's address.
	 * @return {@code false} if it is denied
	 */
	static boolean pass(AddressGate gate, ServerWebExchange exchange, ReactiveRateLimits limits) {
		ServerHttpRequest request = exchange.getRequest();
		Kind decided = gate.decide(request.getRemoteAddress(), request.getHeaders()::getOrEmpty);
		if (decided == null) {
			return true;
		}

		if (limits.rules().isWatched()) {
			exchange.getAttributes().put(AddressGate.DECIDED, decided);
		}
		if (decided == Kind.DENY) {
			return false;
		}
		LimitedExchange.of(exchange, limits).exempt();
		return true;
	}

	/*
	 * As early as the servlets' filter. What finds out the client's address is no filter
	 * here, and comes before all of them.
	 */
	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE + 2;
	}

	/*
	 * Spring asks with each request, for the traces of exceptions.
	 */
	@Override
	public String toString() {
		return "AddressWebFilter";
	}

}
