package io.github.ratelimit.gateway;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;

import org.springframework.cloud.gateway.event.RefreshRoutesResultEvent;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.OrderedGatewayFilter;
import org.springframework.cloud.gateway.filter.factory.cache.GlobalLocalResponseCacheGatewayFilter;
import org.springframework.cloud.gateway.filter.factory.cache.ResponseCacheGatewayFilter;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.context.ApplicationListener;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.util.function.SingletonSupplier;

/**
 * Follows which policies the routes are bound to, because routes come and go: refuses new
 * numbers of a policy that a route could never pass with what its requests cost, lets
 * policies forget routes to which they are no longer applied, and reports those that a
 * cache answers for.
 */
final class RouteBindings implements ApplicationListener<RefreshRoutesResultEvent> {

	private final StoreRateLimiterRegistry registry;

	private final RateLimitFindings findings;

	private final Supplier<List<GlobalLocalResponseCacheGatewayFilter>> cachesOfAll;

	private volatile List<PolicyBinding> bindings = List.of();

	/**
	 * Begins to check the numbers of policies.
	 * @param registry has them checked before they change
	 * @param findings takes what is found
	 * @param cachesOfAll Gateway's caches for the responses of all routes
	 */
	RouteBindings(StoreRateLimiterRegistry registry, RateLimitFindings findings,
			Supplier<List<GlobalLocalResponseCacheGatewayFilter>> cachesOfAll) {
		this.registry = registry;
		this.findings = findings;
		this.cachesOfAll = SingletonSupplier.of(cachesOfAll);
		registry.addChangeCheck(this::check);
	}

	/*
	 * Gateway has the routes at hand when it publishes this, and goes on with the earlier
	 * ones if it could not build them: some of the new ones are bound by then.
	 */
	@Override
	public void onApplicationEvent(RefreshRoutesResultEvent event) {
		if (!event.isSuccess()) {
			forgetOthers();
		}
		else if (event.getSource() instanceof RouteLocator routes) {
			routes.getRoutes().collectList().subscribe(this::follow);
		}
	}

	private void follow(List<Route> routes) {
		this.bindings = routes.stream()
			.flatMap((route) -> route.getFilters().stream())
			.flatMap(RouteBindings::binding)
			.toList();
		forgetOthers();
		routes.forEach(this::reportCache);
	}

	/*
	 * As Gateway sorts filters: its cache comes before all that are not given an order in
	 * code.
	 */
	private void reportCache(Route route) {
		List<Object> filters = new ArrayList<>(this.cachesOfAll.get());
		filters.addAll(route.getFilters());
		AnnotationAwareOrderComparator.sort(filters);

		Stream<Object> behind = filters.stream().dropWhile((filter) -> !isCache(filter));
		behind.flatMap(RouteBindings::binding).forEach((binding) -> {
			String policy = binding.limiter().policy().name();
			this.findings.report(FindingCode.CACHED_ROUTE, policy, route.getId() + " " + policy,
					"The route '" + route.getId() + "' applies the policy '" + policy
							+ "' by a filter, and Gateway's cache answers before it.");
		});
	}

	/**
	 * Whether Gateway may answer for a route from a cache.
	 */
	boolean isCached(Route route) {
		if (!this.cachesOfAll.get().isEmpty()) {
			return true;
		}
		for (GatewayFilter filter : route.getFilters()) {
			if (isCache(filter)) {
				return true;
			}
		}
		return false;
	}

	private static boolean isCache(Object filter) {
		if (filter instanceof OrderedGatewayFilter ordered) {
			return isCache(ordered.getDelegate());
		}
		return filter instanceof ResponseCacheGatewayFilter || filter instanceof GlobalLocalResponseCacheGatewayFilter;
	}

	private void forgetOthers() {
		for (StoreRateLimiter limiter : this.registry.policies()) {
			limiter.removeLocations(
					(location) -> location.location().startsWith(RouteLimit.LOCATION) && !isOfRoute(limiter, location));
		}
	}

	private boolean isOfRoute(StoreRateLimiter limiter, AppliedLocation location) {
		return this.bindings.stream()
			.anyMatch((binding) -> binding.limiter() == limiter && binding.location().equals(location));
	}

	private static Stream<PolicyBinding> binding(Object filter) {
		if (filter instanceof OrderedGatewayFilter ordered) {
			return binding(ordered.getDelegate());
		}
		if (filter instanceof PolicyGatewayFilter ours) {
			return Stream.of(ours.binding());
		}
		return Stream.empty();
	}

	private void check(RateLimitPolicy policy) {
		for (PolicyBinding binding : this.bindings) {
			if (binding.limiter().policy().name().equals(policy.name())) {
				binding.checkCost(policy);
			}
		}
	}

}
