package io.github.ratelimit.gateway;

import io.github.ratelimit.web.reactive.ReactiveRateLimits;
import reactor.core.publisher.Mono;

import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.filter.NettyWriteResponseFilter;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;

/**
 * Lets Gateway's cache store responses without our header fields, which are those of one
 * client. Comes after the cache, and before what writes responses.
 */
final class StoredResponseFilter implements GlobalFilter, Ordered {

	private final RouteBindings routes;

	/**
	 * Creates the filter.
	 * @param routes knows which of them a cache may answer for
	 */
	StoredResponseFilter(RouteBindings routes) {
		this.routes = routes;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
		Route route = exchange.getRequiredAttribute(ServerWebExchangeUtils.GATEWAY_ROUTE_ATTR);
		if (!this.routes.isCached(route)) {
			return chain.filter(exchange);
		}
		return chain.filter(ReactiveRateLimits.withdrawFields(exchange));
	}

	@Override
	public int getOrder() {
		return NettyWriteResponseFilter.WRITE_RESPONSE_FILTER_ORDER - 1;
	}

}
