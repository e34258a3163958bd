package io.github.ratelimit.web.reactive;

import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The route that a gateway has chosen for a request.
 *
 * @since 0.1.0
 */
public interface ChosenRoute {

	/**
	 * Returns the pattern that the request's path has matched.
	 * @return the pattern, or {@code null} if the route is chosen by something else
	 */
	@Nullable String pattern();

	/**
	 * Returns all patterns of paths that the route is chosen by. Another one may match
	 * what the target makes of the path.
	 * @return the patterns
	 */
	Set<String> patterns();

	/**
	 * Finds a variable of what the request has matched.
	 * @param name the variable's name
	 * @return its value, or {@code null} if there is none
	 */
	@Nullable String variable(String name);

	/**
	 * Whether the request is passed on as a handshake of WebSocket.
	 * @return {@code false} for any other request
	 */
	boolean isWebSocket();

}
