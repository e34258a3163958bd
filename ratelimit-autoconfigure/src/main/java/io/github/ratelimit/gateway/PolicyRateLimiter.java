package io.github.ratelimit.gateway;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.expression.PolicyBinding;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.filter.ratelimit.AbstractRateLimiter;
import org.springframework.cloud.gateway.support.ConfigurationService;

/**
 * Decides for Gateway's {@code RequestRateLimiter} by policies. Gateway's key resolver
 * finds the key; the route's argument {@code ratelimit.policy} names the policy.
 *
 * @since 0.1.0
 */
public final class PolicyRateLimiter extends AbstractRateLimiter<RouteLimit> {

	/** The name of the bean, with which the names of its arguments begin. */
	static final String NAME = "ratelimit";

	static final String FILTER = "RequestRateLimiter";

	private static final String POLICY = NAME + ".policy";

	/* There is none for the key, which Gateway's key resolver finds. */
	private static final List<String> ARGUMENTS = List.of(POLICY, NAME + ".cost");

	private final @Nullable RoutePolicies policies;

	/* The routes that have named a policy by arguments. */
	private final Set<String> named = ConcurrentHashMap.newKeySet();

	private final ThreadLocal<@Nullable PublishedArguments> published = new ThreadLocal<>();

	/*
	 * They are bound as they are put, so that a mistake fails the definition of a route.
	 */
	private final Map<String, RouteLimit> limits = new ConcurrentHashMap<>() {

		@Override
		public @Nullable RouteLimit put(String route, RouteLimit limit) {
			if (PolicyRateLimiter.this.policies != null) {
				limit.bindToFoundKey(PolicyRateLimiter.this.policies, FILTER, route, POLICY);
			}
			return super.put(route, limit);
		}

	};

	/**
	 * Creates the limiter.
	 * @param policies the policies, or {@code null} where rate limits are turned off
	 * @param configuration reads the arguments of routes, or {@code null} where there are
	 * none
	 */
	PolicyRateLimiter(@Nullable RoutePolicies policies, @Nullable ConfigurationService configuration) {
		super(RouteLimit.class, NAME, configuration);
		this.policies = policies;
	}

	/**
	 * Lets the definition of a route fail if its {@code RequestRateLimiter} is limited by
	 * a policy and does not name it. Gateway itself asks only when a request comes.
	 * @param ours finds this limiter, {@code null} if the application has one of its name
	 * @return replaces Gateway's filter
	 */
	static BeanPostProcessor routeChecks(Supplier<@Nullable PolicyRateLimiter> ours) {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String name) {
				return CheckedRequestRateLimiter.of(bean, ours);
			}

		};
	}

	@Override
	public Map<String, RouteLimit> getConfig() {
		return this.limits;
	}

	@Override
	public void onApplicationEvent(FilterArgsEvent event) {
		this.published.set(PublishedArguments.of(event));
		RouteLimit.checkArguments(event.getArgs().keySet(), ARGUMENTS, NAME + ".", FILTER, event.getRouteId());
		super.onApplicationEvent(event);

		if (event.getArgs().keySet().stream().anyMatch(PolicyRateLimiter::isOwnArgument)) {
			this.named.add(event.getRouteId());
		}
	}

	/**
	 * Whether this limiter reads an argument, if there is one of that name.
	 */
	static boolean isOwnArgument(String name) {
		return name.startsWith(NAME + ".");
	}

	/* The filter of the route is made next, on the same thread. */
	@Override
	public boolean supportsAsyncExecution() {
		return false;
	}

	/**
	 * Takes the names of the arguments of a filter that is made: they are those that were
	 * read last.
	 * @param route the route of the filter
	 * @return the names; none if the filter is that of a route in code
	 */
	List<String> takeArguments(@Nullable String route) {
		PublishedArguments last = this.published.get();
		this.published.remove();
		if (last == null || !last.route().equals(route)) {
			return List.of();
		}
		return last.names();
	}

	/**
	 * Finds what limits a route whose filter is made, right after its arguments were read
	 * if it has some. If these name no policy, what is known of the route may be that of
	 * another filter, or of before.
	 * @param route the route
	 * @param arguments the names of the arguments
	 * @return decides by the policy that the filter names, or {@code null} where that is
	 * found by the route of each request, or where rate limits are turned off
	 * @throws InvalidRateLimitException if it names none
	 */
	@Nullable BoundRateLimiter bound(@Nullable String route, List<String> arguments) {
		RoutePolicies policies = this.policies;
		if (policies == null || route == null) {
			return null;
		}

		RouteLimit limit = limit(route);
		if (this.named.contains(route) && arguments.stream().noneMatch(PolicyRateLimiter::isOwnArgument)) {
			limit = new RouteLimit();
		}
		return new BoundRateLimiter(policies, limit.bindToFoundKey(policies, FILTER, route, POLICY));
	}

	private RouteLimit limit(String route) {
		return this.limits.getOrDefault(route, new RouteLimit());
	}

	/**
	 * Decides on the request that is being served, for whoever asks by the route. If it
	 * is rejected, it is answered here, with its fields and its body.
	 * @param routeId the route
	 * @param id the key that Gateway's key resolver has found
	 * @return whether the request may go on; nothing if it has been answered
	 */
	@Override
	public Mono<Response> isAllowed(String routeId, String id) {
		RoutePolicies policies = this.policies;
		if (policies == null) {
			return Mono.just(BoundRateLimiter.ALLOWED);
		}
		PolicyBinding binding = limit(routeId).bindToFoundKey(policies, FILTER, routeId, POLICY);
		return new BoundRateLimiter(policies, binding).isAllowed(routeId, id);
	}

}
