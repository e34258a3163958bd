package io.github.ratelimit.web.mcp;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.web.HeaderSettings;
import io.github.ratelimit.web.mcp.SentMessage.Refusal;
import io.github.ratelimit.web.rules.RequestedPath;

import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Knows where the application takes messages of the Model Context Protocol, reads them,
 * and renders the JSON-RPC errors that those are answered with which are not served.
 *
 * @since 0.1.0
 */
public final class McpMessages {

	/** The media type of the answers. */
	public static final String MEDIA_TYPE = "application/json";

	/** The header field that has the method of a message. */
	public static final String METHOD_FIELD = "Mcp-Method";

	/** The header field that has the name of what a message is about. */
	static final String NAME_FIELD = "Mcp-Name";

	static final String TOOL_CALL = "tools/call";

	/* What JSON-RPC calls an internal error. */
	private static final int UNAVAILABLE = -32603;

	private final List<PathPattern> endpoints;

	private final int errorCode;

	private final int maxSize;

	/**
	 * Creates the messages.
	 * @param endpoints the patterns of the paths that take messages
	 * @param errorCode the code of the error that a rejected message is answered with
	 * @param maxSize how many bytes of a body are read at most
	 */
	public McpMessages(List<String> endpoints, int errorCode, int maxSize) {
		// what is served in another case as well is an endpoint, too
		PathPatternParser parser = new PathPatternParser();
		parser.setCaseSensitive(false);
		this.endpoints = endpoints.stream().map(parser::initFullPathPattern).map(parser::parse).toList();
		this.errorCode = errorCode;
		this.maxSize = maxSize;
	}

	/**
	 * Returns how many bytes of a body are read at most.
	 * @return the number of bytes
	 */
	public int maxSize() {
		return this.maxSize;
	}

	/**
	 * Whether a rule could apply to messages.
	 * @param pattern the pattern of the rule
	 * @return {@code false} if it matches no endpoint
	 */
	public boolean areMatchedBy(PathPattern pattern) {
		return this.endpoints.stream()
			.map(PathPattern::getPatternString)
			.anyMatch((endpoint) -> endpoint.equals(pattern.getPatternString())
					|| pattern.matches(PathContainer.parsePath(endpoint)));
	}

	/**
	 * Whether a request has a message in its body.
	 * @param path its method and path
	 * @return {@code false} if it is no {@code POST} to an endpoint
	 */
	public boolean areAt(RequestedPath path) {
		return path.isFor("POST", this.endpoints);
	}

	/**
	 * Reads a message.
	 * @param body the body, of which no more than one byte above the most need be there
	 * @param fields gives the values of a header field
	 * @return the message, which may be refused
	 */
	public SentMessage read(byte[] body, Function<String, ? extends List<String>> fields) {
		if (body.length > this.maxSize) {
			return SentMessage.unread(Refusal.TOO_LARGE);
		}
		return MessageReader.read(body, fields);
	}

	/**
	 * Renders the answer to a message that a policy rejects.
	 * @param id the identifier of the message as JSON
	 * @param decision the decision that rejected
	 * @param violated the names of the violated policies as a JSON array
	 * @return JSON
	 */
	public byte[] rejection(String id, RateLimitDecision decision, String violated) {
		int code = decision.unavailable() ? UNAVAILABLE : this.errorCode;
		long retryAfter = HeaderSettings.retryAfterSeconds(decision);
		String data = "\"violated-policies\":" + violated;
		if (retryAfter > 0) {
			data = "\"retryAfter\":" + retryAfter + "," + data;
		}
		return error(id, code, reason(decision) + advice(decision, retryAfter), ",\"data\":{" + data + "}");
	}

	private static String reason(RateLimitDecision decision) {
		if (decision.unavailable()) {
			return "Whether a rate limit is exceeded cannot be decided at present.";
		}
		if (decision.denied()) {
			return "Denied.";
		}
		return decision.banned() ? "Banned." : "Rate limit exceeded.";
	}

	private static String advice(RateLimitDecision decision, long retryAfter) {
		if (decision.denied()) {
			return " Do not try again.";
		}
		if (retryAfter == 0) {
			return " Do not try again: the request costs more than can ever be free.";
		}
		String unit = (retryAfter == 1) ? " second." : " seconds.";
		return " Try again in " + retryAfter + unit;
	}

	/**
	 * Renders the answer to a message that is refused.
	 * @param message the message
	 * @param refusal why
	 * @return JSON
	 */
	public byte[] refusal(SentMessage message, Refusal refusal) {
		return error(message.id(), refusal.code, refusal.text, "");
	}

	private static byte[] error(String id, int code, String text, String data) {
		return ("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":{\"code\":" + code + ",\"message\":"
				+ JsonText.quote(text) + data + "}}")
			.getBytes(StandardCharsets.US_ASCII);
	}

}
