package io.github.ratelimit.web.reactive;

import java.util.function.Function;

import io.github.ratelimit.RateLimitInfo;

import org.springframework.core.MethodParameter;
import org.springframework.web.reactive.BindingContext;
import org.springframework.web.reactive.result.method.SyncHandlerMethodArgumentResolver;
import org.springframework.web.server.ServerWebExchange;

/**
 * Gives handlers of Spring WebFlux what was decided on their request.
 *
 * @param info tells it of a request
 */
record RateLimitInfoArgumentResolver(
		Function<ServerWebExchange, RateLimitInfo> info) implements SyncHandlerMethodArgumentResolver {

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return parameter.getParameterType() == RateLimitInfo.class;
	}

	@Override
	public RateLimitInfo resolveArgumentValue(MethodParameter parameter, BindingContext context,
			ServerWebExchange exchange) {
		return this.info.apply(exchange);
	}

}
