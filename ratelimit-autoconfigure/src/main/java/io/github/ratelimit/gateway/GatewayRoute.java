package io.github.ratelimit.gateway;

import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

import io.github.ratelimit.web.reactive.ChosenRoute;
import org.jspecify.annotations.Nullable;

import org.springframework.cloud.gateway.handler.predicate.GatewayPredicate;
import org.springframework.cloud.gateway.handler.predicate.HostRoutePredicateFactory;
import org.springframework.cloud.gateway.handler.predicate.PathRoutePredicateFactory;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.web.server.ServerWebExchange;

/**
 * The route that Gateway has chosen for an exchange. What it has matched is among the
 * attributes, where the predicates of routes that were not chosen leave theirs, too.
 *
 * @param route the route
 * @param exchange the exchange
 * @param basePath what Gateway puts before the patterns of paths
 */
record GatewayRoute(Route route, ServerWebExchange exchange, String basePath) implements ChosenRoute {

	/**
	 * Finds the route of an exchange.
	 * @param exchange the exchange
	 * @param basePath what Gateway puts before the patterns of paths
	 * @return the route, or {@code null} if none was chosen
	 */
	static @Nullable ChosenRoute find(ServerWebExchange exchange, String basePath) {
		Route route = exchange.getAttribute(ServerWebExchangeUtils.GATEWAY_ROUTE_ATTR);
		if (route == null) {
			return null;
		}
		return new GatewayRoute(route, exchange, basePath);
	}

	@Override
	public @Nullable String pattern() {
		String matching = this.exchange
			.getAttribute(ServerWebExchangeUtils.GATEWAY_PREDICATE_MATCHED_PATH_ROUTE_ID_ATTR);
		if (!this.route.getId().equals(matching)) {
			return null;
		}
		return this.exchange.getAttribute(ServerWebExchangeUtils.GATEWAY_PREDICATE_MATCHED_PATH_ATTR);
	}

	@Override
	public Set<String> patterns() {
		Set<String> patterns = new LinkedHashSet<>();
		String matched = pattern();
		if (matched != null) {
			patterns.add(matched);
		}
		forEachConfiguration((configuration) -> {
			if (configuration instanceof PathRoutePredicateFactory.Config paths) {
				paths.getPatterns().forEach((pattern) -> patterns.add(this.basePath + pattern));
			}
		});
		return patterns;
	}

	/* The name of a host has no case. */
	@Override
	public @Nullable String variable(String name) {
		String value = ServerWebExchangeUtils.getUriTemplateVariables(this.exchange).get(name);
		if (value == null) {
			return null;
		}
		if (has(hosts(), name)) {
			return value.toLowerCase(Locale.ROOT);
		}
		return has(patterns(), name) ? value : null;
	}

	@Override
	public boolean isWebSocket() {
		URI target = this.exchange.getAttribute(ServerWebExchangeUtils.GATEWAY_REQUEST_URL_ATTR);
		return target != null && List.of("ws", "wss").contains(target.getScheme());
	}

	private Set<String> hosts() {
		Set<String> hosts = new LinkedHashSet<>();
		forEachConfiguration((configuration) -> {
			if (configuration instanceof HostRoutePredicateFactory.Config ofHosts) {
				hosts.addAll(ofHosts.getPatterns());
			}
		});
		return hosts;
	}

	private static boolean has(Set<String> patterns, String variable) {
		List<String> beginnings = List.of("{" + variable + "}", "{" + variable + ":", "{*" + variable + "}");
		return patterns.stream().anyMatch((pattern) -> beginnings.stream().anyMatch(pattern::contains));
	}

	private void forEachConfiguration(Consumer<@Nullable Object> action) {
		this.route.getPredicate().accept((predicate) -> {
			if (predicate instanceof GatewayPredicate ofGateway) {
				action.accept(ofGateway.getConfig());
			}
		});
	}

}
