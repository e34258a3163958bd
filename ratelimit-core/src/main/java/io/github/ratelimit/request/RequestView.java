package io.github.ratelimit.request;

import java.security.Principal;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * View of a request for expressions, independent of the web stack.
 *
 * @since 0.1.0
 */
public interface RequestView {

	/**
	 * The client's address. Trusted proxies are skipped, and IPv6 is cut to its prefix.
	 * @return the address as text
	 */
	String clientAddress();

	/**
	 * The authenticated user.
	 * @return the user, or {@code null} if there is none (yet)
	 */
	@Nullable Principal principal();

	/**
	 * A request header.
	 * @param name the header's name, in any case
	 * @return its first value, or {@code null}
	 */
	@Nullable String header(String name);

	/**
	 * A cookie.
	 * @param name the cookie's name
	 * @return its first value, or {@code null}; the default implementation has no cookies
	 */
	default @Nullable String cookie(String name) {
		return null;
	}

	/**
	 * A parameter of the query, or of a form in the body. The first call makes the server
	 * read the form, even before the request has a handler.
	 * @param name the parameter's name
	 * @return its value, or {@code null} if it has none, or several that differ
	 */
	default @Nullable String parameter(String name) {
		List<String> values = parameters(name);
		return (values.size() == 1) ? values.get(0) : null;
	}

	/**
	 * All values of a parameter, of the query and of a form in the body. Any of them may
	 * be the one that the handler, or the target of a gateway, reads.
	 * @param name the parameter's name
	 * @return the values, each once, and at first those of the query; empty if there is
	 * none, or if somebody may read a form that is not read here. The default
	 * implementation has no parameters
	 */
	default List<String> parameters(String name) {
		return List.of();
	}

	/**
	 * The pattern that the request's path matched.
	 * @return the pattern; the default implementation has none, and gives an empty text
	 */
	default String path() {
		return "";
	}

	/**
	 * A variable of the matched pattern, such as {@code id} of {@code /users/{id}}.
	 * @param name the variable's name
	 * @return its value, or {@code null}; the default implementation has no variables
	 */
	default @Nullable String pathVariable(String name) {
		return null;
	}

	/**
	 * The request's method.
	 * @return the method, in upper case; the default implementation has none, and gives
	 * an empty text
	 */
	default String method() {
		return "";
	}

	/**
	 * Whether the request only reads, by its method.
	 * @return {@code true} for {@code GET}, {@code HEAD}, {@code OPTIONS} and
	 * {@code TRACE}
	 */
	default boolean isReading() {
		return switch (method()) {
			case "GET", "HEAD", "OPTIONS", "TRACE" -> true;
			default -> false;
		};
	}

	/**
	 * The message that the request has for an MCP server. It is read where an expression
	 * of a rule reads it.
	 * @return the message; the default implementation has none
	 * @throws IllegalStateException if its body is no message that everybody reads alike
	 */
	default McpMessage mcp() {
		return McpMessage.NONE;
	}

	/**
	 * The identifier of the request's session. Does not create one.
	 * @return the identifier, or {@code null} if there is no session
	 */
	@Nullable String session();

	/**
	 * The request itself.
	 * @return the web stack's own request object
	 */
	Object request();

}
