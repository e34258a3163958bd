package io.github.ratelimit.gateway;

import io.github.ratelimit.expression.PolicyBinding;
import reactor.core.publisher.Mono;

import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.web.server.ServerWebExchange;

/**
 * A filter of a route that enforces a policy, and can be asked which.
 */
final class PolicyGatewayFilter implements GatewayFilter {

	private final PolicyBinding binding;

	private final GatewayFilter enforcement;

	PolicyGatewayFilter(PolicyBinding binding, GatewayFilter enforcement) {
		this.binding = binding;
		this.enforcement = enforcement;
	}

	PolicyBinding binding() {
		return this.binding;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
		return this.enforcement.filter(exchange, chain);
	}

}
