package io.github.ratelimit.gateway;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.github.ratelimit.web.reactive.ReactiveRateLimits;
import reactor.core.publisher.Mono;

import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.filter.NettyWriteResponseFilter;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.server.ServerWebExchange;

/**
 * Lets Gateway's cache store responses without our header fields, which are those of one
 * client. Comes after the cache, and before what writes responses.
 *
 * @see RouteBindings#isCached(Route)
 */
final class StoredResponseFilter implements GlobalFilter, Ordered {

	private final Supplier<Boolean> cachesAll;

	/**
	 * Creates the filter.
	 * @param cachesAll whether Gateway caches the responses of all routes
	 */
	StoredResponseFilter(BooleanSupplier cachesAll) {
		this.cachesAll = SingletonSupplier.of(cachesAll::getAsBoolean);
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
		Route route = exchange.getAttribute(ServerWebExchangeUtils.GATEWAY_ROUTE_ATTR);
		boolean isStored = this.cachesAll.get() || (route != null && RouteBindings.isCached(route));
		if (!isStored) {
			return chain.filter(exchange);
		}
		return chain.filter(ReactiveRateLimits.withdrawFields(exchange));
	}

	@Override
	public int getOrder() {
		return NettyWriteResponseFilter.WRITE_RESPONSE_FILTER_ORDER - 1;
	}

}
