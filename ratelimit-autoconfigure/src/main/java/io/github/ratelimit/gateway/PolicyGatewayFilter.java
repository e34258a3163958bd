package io.github.ratelimit.gateway;

import io.github.ratelimit.expression.PolicyBinding;
import reactor.core.publisher.Mono;

import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.web.server.ServerWebExchange;

/**
 * A filter of a route that enforces a policy, and can be asked which.
 *
 * @param binding the policy, as the route has it
 * @param enforcement enforces it
 */
record PolicyGatewayFilter(PolicyBinding binding, GatewayFilter enforcement) implements GatewayFilter {

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
		return this.enforcement.filter(exchange, chain);
	}

	/*
	 * Gateway lists the filters of its routes.
	 */
	@Override
	public String toString() {
		return "[RateLimit policy = '" + this.binding.limiter().policy().name() + "']";
	}

}
