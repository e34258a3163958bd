package io.github.ratelimit.gateway;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.ratelimit.expression.PolicyBinding;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.ApplicationListener;

/**
 * Limits the requests of a route by a policy: {@code RateLimit=api}, or
 * {@code RateLimit=api, header('X-Api-Key')} with a key in place of the policy's own.
 *
 * @since 0.1.0
 */
public final class RateLimitGatewayFilterFactory extends AbstractGatewayFilterFactory<RouteLimit>
		implements ApplicationListener<FilterArgsEvent> {

	private static final List<String> ARGUMENTS = List.of("policy", "key", "cost");

	private final @Nullable RoutePolicies policies;

	/*
	 * Gateway tells the arguments of any filter, and then applies it on the same thread.
	 */
	private final ThreadLocal<@Nullable Told> told = new ThreadLocal<>();

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
		return ARGUMENTS.subList(0, 2);
	}

	@Override
	public void onApplicationEvent(FilterArgsEvent event) {
		Map<String, Object> arguments = event.getArgs();
		this.told.set(new Told(event.getRouteId(), List.copyOf(arguments.keySet()),
				(arguments.get(ARGUMENTS.get(0)) instanceof String policy) ? policy : null));
	}

	/*
	 * A route in code has no arguments, and the last that were told are of another
	 * filter.
	 */
	private void checkArguments(RouteLimit limit) {
		Told told = this.told.get();
		this.told.remove();
		if (told != null && told.route.equals(limit.getRouteId()) && Objects.equals(told.policy, limit.policy)) {
			RouteLimit.checkArguments(told.names, ARGUMENTS, "", name(), told.route);
		}
	}

	@Override
	public GatewayFilter apply(RouteLimit limit) {
		RoutePolicies policies = this.policies;
		if (policies == null) {
			return (exchange, chain) -> chain.filter(exchange);
		}
		checkArguments(limit);
		PolicyBinding binding = limit.bind(policies, name(), limit.getRouteId(), ARGUMENTS.get(0));
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

	/**
	 * What is written at a filter of a route. Its values may be beans, which a thread is
	 * not to keep.
	 */
	private record Told(String route, List<String> names, @Nullable String policy) {

	}

}
