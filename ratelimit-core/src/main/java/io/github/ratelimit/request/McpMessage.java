package io.github.ratelimit.request;

import org.jspecify.annotations.Nullable;

/**
 * What a request asks of an MCP server (Model Context Protocol), as its body says.
 *
 * @param method the method of the message, such as {@code tools/call}; {@code null} if it
 * is a response, or the request has no message
 * @param tool the tool that is called; {@code null} for other methods
 * @since 0.1.0
 */
public record McpMessage(@Nullable String method, @Nullable String tool) {

	/** What a request without a message asks. */
	public static final McpMessage NONE = new McpMessage(null, null);

}
