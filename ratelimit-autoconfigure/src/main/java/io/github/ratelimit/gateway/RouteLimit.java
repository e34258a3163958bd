package io.github.ratelimit.gateway;

import java.util.List;
import java.util.Objects;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.Suggestion;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.policy.AppliedPlace;
import org.jspecify.annotations.Nullable;

import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.cloud.gateway.support.HasRouteId;

/**
 * The arguments with which a route names its policy.
 *
 * @since 0.1.0
 */
public final class RouteLimit implements HasRouteId {

	@Nullable String policy;

	@Nullable Object key;

	@Nullable String cost;

	private @Nullable String routeId;

	private volatile @Nullable PolicyBinding binding;

	/**
	 * Sets the name of the policy.
	 * @param policy one of {@code ratelimit.policies}
	 * @return this
	 */
	public RouteLimit setPolicy(String policy) {
		this.policy = policy;
		return this;
	}

	/**
	 * Sets the key, in place of the policy's own.
	 * @param key an expression, such as {@code header('X-Api-Key')}, or a
	 * {@link KeyResolver} of Gateway
	 * @return this
	 */
	public RouteLimit setKey(Object key) {
		this.key = key;
		return this;
	}

	/**
	 * Sets what a request costs, in place of one permit.
	 * @param cost an expression, such as {@code 5}
	 * @return this
	 */
	public RouteLimit setCost(String cost) {
		this.cost = cost;
		return this;
	}

	@Override
	public @Nullable String getRouteId() {
		return this.routeId;
	}

	@Override
	public void setRouteId(String routeId) {
		this.routeId = routeId;
	}

	/**
	 * Binds the policy to a route, once.
	 * @throws InvalidRateLimitException if there is no such policy, or it cannot be used
	 * there
	 */
	PolicyBinding bind(RoutePolicies policies, String filter, @Nullable String route) {
		PolicyBinding binding = this.binding;
		if (binding == null) {
			String place = "filter " + filter + " of " + ((route != null) ? "the route " + route : "a route in code");
			String name = Objects.requireNonNullElse(this.policy, "");
			RateLimiter limiter = policies.registry().find(name);
			if (limiter == null) {
				List<String> known = policies.registry()
					.policies()
					.stream()
					.map((each) -> each.policy().name())
					.toList();
				throw InvalidRateLimitException.of("The " + place,
						"names '" + name + "', which is no policy of ratelimit.policies",
						Suggestion.brackets(name, known) + Suggestion.of(name, known), null);
			}
			binding = policies.binder()
				.bind(limiter,
						new AppliedPlace(place, (this.key instanceof String own) ? own : null, this.cost, null, null),
						null, null);
			this.binding = binding;
		}
		return binding;
	}

}
