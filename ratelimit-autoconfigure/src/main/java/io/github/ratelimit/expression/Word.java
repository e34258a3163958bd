package io.github.ratelimit.expression;

import java.util.List;
import java.util.Set;

import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;

/**
 * A word by which an expression reads something of a call.
 *
 * @param text the property or function that reads it
 * @param name what the function is called with, or an empty text
 */
record Word(String text, String name) {

	static final List<String> PROPERTIES = List.of("clientAddress", "principal", "path", "method", "session", "request",
			"target", "mcp");

	static final List<String> FUNCTIONS = List.of("header", "parameter", "cookie", "pathVariable", "claim");

	/* The words whose values are texts. */
	private static final Set<String> TEXTS = Set.of("clientAddress", "path", "method", "session", "header", "parameter",
			"cookie", "pathVariable");

	/** The properties that are known only when the call is over. */
	static final List<String> OUTCOME = List.of("status", "result", "exception", "authenticationFailed", "cancelled",
			"reserved", "elements", "charged", "usage");

	/** Those of them that only a method's call has. */
	static final List<String> OF_METHODS = List.of("result", "elements", "charged");

	/** What the call of a model returns: the tokens that it has used. */
	static final String USAGE = "usage";

	static boolean isProperty(String name) {
		return PROPERTIES.contains(name) || OUTCOME.contains(name);
	}

	/**
	 * Finds what a part of an expression reads that is looked up on the root object.
	 * @return the word, or {@code null} if it is none, or its name is no literal text
	 */
	static @Nullable Word of(SpelNode node) {
		if (node instanceof PropertyOrFieldReference property && isProperty(property.getName())) {
			return new Word(property.getName(), "");
		}
		if (node instanceof MethodReference function && FUNCTIONS.contains(function.getName())
				&& node.getChildCount() == 1 && node.getChild(0) instanceof StringLiteral name) {
			return new Word(function.getName(), String.valueOf(name.getLiteralValue().getValue()));
		}
		return null;
	}

	/* The word is the message for an MCP server. */
	boolean isMessage() {
		return this.text.equals("mcp");
	}

	/* The word is what a call has returned. */
	boolean isResult() {
		return this.text.equals("result") || this.text.equals(USAGE);
	}

	boolean isText() {
		return TEXTS.contains(this.text);
	}

	boolean isOfUser() {
		return this.text.equals("principal") || this.text.equals("claim");
	}

	/* The word is the server's own object. */
	boolean isRequest() {
		return this.text.equals("request");
	}

	/**
	 * Reads what the word means in a call.
	 */
	@Nullable Object read(RateLimitContext call) {
		return switch (this.text) {
			case "target" -> call.target();
			case "status" -> call.outcome.status();
			case "result", USAGE -> call.outcome.result();
			case "exception" -> call.outcome.exception();
			case "authenticationFailed" -> call.outcome.authenticationFailed();
			case "cancelled" -> call.outcome.cancelled();
			case "reserved", "elements", "charged" -> call.used.get(this);
			default -> call.ofRequest(this);
		};
	}

	/**
	 * Reads what the word means in a request, or {@code null} if it is not of the
	 * request.
	 */
	@Nullable Object read(RequestView request) {
		return switch (this.text) {
			case "clientAddress" -> request.clientAddress();
			case "principal" -> request.principal();
			case "path" -> request.path();
			case "method" -> request.method();
			case "session" -> request.session();
			case "request" -> request.request();
			case "mcp" -> request.mcp();
			default -> call(request);
		};
	}

	private @Nullable Object call(RequestView request) {
		return switch (this.text) {
			case "header" -> request.header(this.name);
			case "parameter" -> request.parameter(this.name);
			case "cookie" -> request.cookie(this.name);
			case "pathVariable" -> request.pathVariable(this.name);
			case "claim" -> SecurityUsers.claim(request.principal(), this.name);
			default -> null;
		};
	}

}
