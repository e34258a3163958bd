package io.github.ratelimit.gateway;

import java.util.Map;

import io.github.ratelimit.expression.PolicyBinding;
import reactor.core.publisher.Mono;

import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.cloud.gateway.support.AbstractStatefulConfigurable;

/**
 * Decides for one filter {@code RequestRateLimiter} by the policy that it was made with,
 * whatever is read of its route later: a route may have several such filters, and stays
 * as it is if a refresh of the routes fails.
 */
final class BoundRateLimiter extends AbstractStatefulConfigurable<RouteLimit> implements RateLimiter<RouteLimit> {

	static final Response ALLOWED = new Response(true, Map.of());

	private final RoutePolicies policies;

	final PolicyBinding binding;

	BoundRateLimiter(RoutePolicies policies, PolicyBinding binding) {
		super(RouteLimit.class);
		this.policies = policies;
		this.binding = binding;
	}

	@Override
	public Mono<Response> isAllowed(String routeId, String id) {
		return this.policies.rejections().pass(this.binding, id).filter(Boolean::booleanValue).map((passes) -> ALLOWED);
	}

}
