package io.github.ratelimit.web.mcp;

import io.github.ratelimit.request.McpMessage;
import org.jspecify.annotations.Nullable;

/**
 * What was read of a body that is to be a message.
 *
 * @param id the identifier of the message as JSON; {@code null} as JSON if it has none,
 * or none that is answered
 * @param content what the message asks, as far as it was read
 * @param refusal why nobody is to serve the request, or {@code null} if the message can
 * be read in one way only
 * @since 0.1.0
 */
public record SentMessage(String id, McpMessage content, @Nullable Refusal refusal) {

	static final String NO_ID = "null";

	/**
	 * Creates a message of which nothing could be read.
	 * @param refusal why
	 * @return the message
	 */
	public static SentMessage unread(Refusal refusal) {
		return new SentMessage(NO_ID, McpMessage.NONE, refusal);
	}

	/**
	 * Returns what the message asks.
	 * @return its method, and the tool that it calls
	 * @throws IllegalStateException if it is refused
	 */
	public McpMessage message() {
		if (this.refusal != null) {
			throw new IllegalStateException(this.refusal.text);
		}
		return this.content;
	}

	/**
	 * Why a message is refused that some might read in another way than it was read here.
	 */
	public enum Refusal {

		/** The body did not come, or somebody has read it before. */
		UNREAD(400, -32700, "The body could not be read"),

		/** The body is larger than what may be read. */
		TOO_LARGE(413, -32600, "The body is larger than ratelimit.mcp.maximum-message-size"),

		/** The body is not JSON. */
		NO_JSON(400, -32700, "The body is not JSON in UTF-8"),

		/** The body is not one message, or has a member twice. */
		NO_MESSAGE(400, -32600, "The body is not one JSON-RPC message whose members are each there once"),

		/** A header field says something else than the body. */
		HEADER_MISMATCH(400, -32020, "Mcp-Method or Mcp-Name does not match the body");

		final int status;

		final int code;

		final String text;

		Refusal(int status, int code, String text) {
			this.status = status;
			this.code = code;
			this.text = text;
		}

		/**
		 * Returns the status of the response.
		 * @return an HTTP status
		 */
		public int status() {
			return this.status;
		}

	}

}
