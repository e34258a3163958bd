package io.github.ratelimit.gateway;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.cloud.gateway.event.FilterArgsEvent;

/**
 * The arguments that are written at a filter of a route. Gateway publishes them, and
 * makes the filter next, on the same thread. Their values may be beans, which a thread is
 * not to keep.
 *
 * @param route the route
 * @param names the names of the arguments
 * @param policy the argument that is named policy, or {@code null} without one
 */
record PublishedArguments(String route, List<String> names, @Nullable String policy) {

	private static final String POLICY = "policy";

	static PublishedArguments of(FilterArgsEvent event) {
		String policy = null;
		for (String name : event.getArgs().keySet()) {
			if (RouteLimit.isArgument(name, POLICY)) {
				policy = String.valueOf(event.getArgs().get(name));
			}
		}
		return new PublishedArguments(event.getRouteId(), List.copyOf(event.getArgs().keySet()), policy);
	}

}
