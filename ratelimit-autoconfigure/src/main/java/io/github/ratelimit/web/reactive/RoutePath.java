package io.github.ratelimit.web.reactive;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.ratelimit.web.rules.RequestedPath;

import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * The whole path of an exchange, as a gateway chooses a route by it and sends it on.
 */
final class RoutePath extends RequestedPath {

	private static final PathPatternParser PARSER = parser();

	private final RequestPath path;

	/**
	 * Creates the path of a request.
	 * @param request the request as the gateway has chosen the route by it
	 */
	RoutePath(ServerHttpRequest request) {
		super(request.getMethod().name(), request.getPath().value(), true);
		this.path = request.getPath();
	}

	/* The gateway may ignore case, and has matched the path in any case. */
	private static PathPatternParser parser() {
		PathPatternParser parser = new PathPatternParser();
		parser.setCaseSensitive(false);
		return parser;
	}

	@Override
	protected List<PathContainer> read() {
		if (this.clean) {
			return List.of(this.path);
		}
		return readings(this.path, null, this.path.value());
	}

	/**
	 * Whether all who read the path read it alike.
	 */
	boolean isReadAlike() {
		return this.clean;
	}

	/**
	 * Reads the variables of each reading of the path.
	 * @param patterns those of the route
	 * @return the values by name
	 */
	Set<Map<String, String>> variables(Set<String> patterns) {
		return patterns.stream()
			.flatMap((pattern) -> variables(PARSER.parse(pattern)).stream())
			.collect(Collectors.toSet());
	}

}
