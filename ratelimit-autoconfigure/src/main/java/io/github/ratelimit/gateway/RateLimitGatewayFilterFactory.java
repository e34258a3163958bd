package io.github.ratelimit.gateway;

import java.util.List;
import java.util.Objects;

import io.github.ratelimit.expression.PolicyBinding;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.ApplicationListener;
import org.springframework.web.server.ServerWebExchange;

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

	private final ThreadLocal<@Nullable PublishedArguments> published = new ThreadLocal<>();

	/**
	 * Creates the factory.
	 * @param policies the policies, or {@code null} where rate limits are turned off
	 */
	RateLimitGatewayFilterFactory(@Nullable RoutePolicies policies) {
		super(RouteLimit.class);
		this.policies = policies;
	}

	@Override
	public List<String> shortcutFieldOrder() {
		return ARGUMENTS.subList(0, 2);
	}

	@Override
	public void onApplicationEvent(FilterArgsEvent event) {
		this.published.set(PublishedArguments.of(event));
	}

	/* The arguments are for what the publishing thread does next. */
	@Override
	public boolean supportsAsyncExecution() {
		return false;
	}

	/*
	 * A route in code has no arguments, and the last that were published are of another
	 * filter.
	 */
	private void checkArguments(RouteLimit limit) {
		PublishedArguments published = this.published.get();
		this.published.remove();
		if (published != null && areOf(limit, published)) {
			RouteLimit.checkArguments(published.names(), ARGUMENTS, "", name(), published.route());
		}
	}

	private static boolean areOf(RouteLimit limit, PublishedArguments published) {
		return published.route().equals(limit.getRouteId()) && Objects.equals(published.policy(), limit.policy());
	}

	@Override
	public GatewayFilter apply(RouteLimit limit) {
		RoutePolicies policies = this.policies;
		if (policies == null) {
			return (exchange, chain) -> chain.filter(exchange);
		}
		checkArguments(limit);
		PolicyBinding binding = limit.bind(policies, name(), limit.getRouteId(), ARGUMENTS.get(0));
		return new PolicyGatewayFilter(binding, enforcement(policies, binding, limit.keyResolver()));
	}

	private static GatewayFilter enforcement(RoutePolicies policies, PolicyBinding binding,
			@Nullable KeyResolver resolver) {
		if (resolver == null) {
			return (exchange, chain) -> goOn(policies.rejections().pass(binding, null), exchange, chain);
		}
		return (exchange, chain) -> {
			Mono<String> key = Mono.defer(() -> resolver.resolve(exchange));
			return goOn(policies.rejections().passOnceFound(binding, key), exchange, chain);
		};
	}

	private static Mono<Void> goOn(Mono<Boolean> passed, ServerWebExchange exchange, GatewayFilterChain chain) {
		return passed.flatMap((passes) -> passes ? chain.filter(exchange) : Mono.empty());
	}

}
