package io.github.ratelimit.gateway;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

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

	private static final Response ALLOWED = new Response(true, Map.of());

	private final @Nullable RoutePolicies policies;

	/* The routes that have named a policy by arguments. */
	private final Set<String> named = ConcurrentHashMap.newKeySet();

	/*
	 * The route whose arguments were read last on a thread, and name no policy. If they
	 * are those of our filter, it is made next, and the limits that are known are those
	 * that the route had before.
	 */
	private final ThreadLocal<@Nullable String> nameless = new ThreadLocal<>();

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
	 * @return replaces Gateway's filter
	 */
	static BeanPostProcessor routeChecks() {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String name) {
				return CheckedRequestRateLimiter.of(bean);
			}

		};
	}

	@Override
	public Map<String, RouteLimit> getConfig() {
		return this.limits;
	}

	@Override
	public void onApplicationEvent(FilterArgsEvent event) {
		RouteLimit.checkArguments(event.getArgs().keySet(), ARGUMENTS, NAME + ".", FILTER, event.getRouteId());
		super.onApplicationEvent(event);

		String route = event.getRouteId();
		if (event.getArgs().keySet().stream().anyMatch((name) -> name.startsWith(NAME + "."))) {
			this.named.add(route);
			this.nameless.remove();
		}
		else {
			this.nameless.set(route);
		}
	}

	/* The filter of the route is made next, on the same thread. */
	@Override
	public boolean supportsAsyncExecution() {
		return false;
	}

	/**
	 * Finds what limits a route whose filter is made, right after its arguments were read
	 * if it has some.
	 * @param route the route
	 * @return the policy that it names, or {@code null} where rate limits are turned off
	 * @throws InvalidRateLimitException if it names none
	 */
	@Nullable PolicyBinding takeBinding(String route) {
		if (this.policies == null) {
			return null;
		}

		boolean isNameless = route.equals(this.nameless.get()) && this.named.contains(route);
		this.nameless.remove();
		RouteLimit limit = isNameless ? new RouteLimit() : limit(route);
		return limit.bindToFoundKey(this.policies, FILTER, route, POLICY);
	}

	private RouteLimit limit(String route) {
		return this.limits.getOrDefault(route, new RouteLimit());
	}

	/**
	 * Decides on the request that is being served. If it is rejected, it is answered
	 * here, with its fields and its body.
	 * @param routeId the route
	 * @param id the key that Gateway's key resolver has found
	 * @return whether the request may go on; nothing if it has been answered
	 */
	@Override
	public Mono<Response> isAllowed(String routeId, String id) {
		RoutePolicies policies = this.policies;
		if (policies == null) {
			return Mono.just(ALLOWED);
		}
		PolicyBinding binding = limit(routeId).bindToFoundKey(policies, FILTER, routeId, POLICY);
		return policies.rejections().pass(binding, id).filter(Boolean::booleanValue).map((passes) -> ALLOWED);
	}

}
