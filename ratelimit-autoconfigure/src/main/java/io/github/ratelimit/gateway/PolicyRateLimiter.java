package io.github.ratelimit.gateway;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.ratelimit.expression.PolicyBinding;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.cloud.gateway.filter.ratelimit.AbstractRateLimiter;
import org.springframework.cloud.gateway.support.ConfigurationService;

/**
 * Decides for Gateway's {@code RequestRateLimiter} by policies. Gateway's key resolver
 * finds the key; the route's argument {@code ratelimit.policy} names the policy.
 *
 * @since 0.1.0
 */
public final class PolicyRateLimiter extends AbstractRateLimiter<RouteLimit> {

	/** Name of the bean, and what the names of its arguments begin with. */
	public static final String NAME = "ratelimit";

	private static final String FILTER = "RequestRateLimiter";

	private static final Response ALLOWED = new Response(true, Map.of());

	private final @Nullable RoutePolicies policies;

	/* Bound as they are put, so that a mistake is one in the definition of a route. */
	private final Map<String, RouteLimit> limits = new ConcurrentHashMap<>() {

		@Override
		public @Nullable RouteLimit put(String route, RouteLimit limit) {
			if (PolicyRateLimiter.this.policies != null) {
				limit.bind(PolicyRateLimiter.this.policies, FILTER, route);
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
	public PolicyRateLimiter(@Nullable RoutePolicies policies, @Nullable ConfigurationService configuration) {
		super(RouteLimit.class, NAME, configuration);
		this.policies = policies;
	}

	@Override
	public Map<String, RouteLimit> getConfig() {
		return this.limits;
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
		PolicyBinding binding = this.limits.getOrDefault(routeId, new RouteLimit()).bind(policies, FILTER, routeId);
		return policies.rejections().pass(binding, id).filter(Boolean::booleanValue).map((passes) -> ALLOWED);
	}

}
