package io.github.ratelimit.gateway;

import java.util.List;

import io.github.ratelimit.expression.PolicyBinding;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;

/**
 * Limits the requests of a route by a policy: {@code RateLimit=api}, or
 * {@code RateLimit=api, header('X-Api-Key')} with a key in place of the policy's own.
 *
 * @since 0.1.0
 */
public final class RateLimitGatewayFilterFactory extends AbstractGatewayFilterFactory<RouteLimit> {

	private final @Nullable RoutePolicies policies;

	/**
	 * Creates the factory.
	 * @param policies the policies, or {@code null} where rate limits are turned off
	 */
	public RateLimitGatewayFilterFactory(@Nullable RoutePolicies policies) {
		super(RouteLimit.class);
		this.policies = policies;
	}

	@Override
	public List<String> shortcutFieldOrder() {
		return List.of("policy", "key");
	}

	@Override
	public GatewayFilter apply(RouteLimit limit) {
		RoutePolicies policies = this.policies;
		if (policies == null) {
			return (exchange, chain) -> chain.filter(exchange);
		}
		PolicyBinding binding = limit.bind(policies, name(), limit.getRouteId());
		KeyResolver resolver = (limit.key instanceof KeyResolver found) ? found : null;
		return (exchange, chain) -> {
			Mono<Boolean> passed = (resolver == null) ? policies.rejections().pass(binding, null)
					: Mono.defer(() -> resolver.resolve(exchange))
						.onErrorReturn("")
						.defaultIfEmpty("")
						.flatMap((key) -> policies.rejections().pass(binding, key));
			return passed.flatMap((passes) -> passes ? chain.filter(exchange) : Mono.empty());
		};
	}

}
