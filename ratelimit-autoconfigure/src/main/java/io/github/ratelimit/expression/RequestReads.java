package io.github.ratelimit.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;

/**
 * What an expression reads of the request, as far as its text tells.
 *
 * @param reads each part that is read
 */
record RequestReads(List<Read> reads) {

	private static final Set<String> PROPERTIES = Set.of("clientAddress", "principal", "path", "method", "session");

	private static final Set<String> GETTERS = Set.of("getRequest", "getPrincipal", "getClientAddress", "getPath",
			"getMethod", "getSession");

	static final Set<String> FUNCTIONS = Set.of("header", "parameter", "cookie", "pathVariable", "claim");

	static RequestReads find(@Nullable ParsedExpression expression) {
		List<Read> reads = new ArrayList<>();
		if (expression != null) {
			visit(expression.ast(), reads);
		}
		return new RequestReads(List.copyOf(reads));
	}

	/*
	 * What is read of something else by the same name is noted in vain.
	 */
	private static void visit(SpelNode node, List<Read> reads) {
		if (node instanceof PropertyOrFieldReference property && PROPERTIES.contains(property.getName())) {
			reads.add(new Read(property.getName(), ""));
		}
		else if (node instanceof MethodReference function && FUNCTIONS.contains(function.getName())
				&& function.getChildCount() == 1 && function.getChild(0) instanceof StringLiteral name) {
			reads.add(new Read(function.getName(), String.valueOf(name.getLiteralValue().getValue())));
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			visit(node.getChild(i), reads);
		}
	}

	/**
	 * Whether an expression is evaluated on the request's own thread: it calls no bean,
	 * or it needs the request itself, which is gone afterwards.
	 */
	static boolean runOnCallersThread(SpelNode expression) {
		return !callsBean(expression) || needsRequest(expression);
	}

	private static boolean callsBean(SpelNode node) {
		boolean calls = node instanceof BeanReference;
		for (int i = 0; i < node.getChildCount(); i++) {
			calls |= callsBean(node.getChild(i));
		}
		return calls;
	}

	/* What a text does not tell cannot be noted. */
	private static boolean needsRequest(SpelNode node) {
		String name = NodeNames.of(node);
		boolean needs = name.equals("request") || GETTERS.contains(name) || NodeNames.isRoot(node, false)
				|| FUNCTIONS.contains(name) && !isOfLiteral(node);
		for (int i = 0; i < node.getChildCount(); i++) {
			needs |= needsRequest(node.getChild(i));
		}
		return needs;
	}

	private static boolean isOfLiteral(SpelNode function) {
		return function.getChildCount() == 1 && function.getChild(0) instanceof StringLiteral;
	}

	/**
	 * Notes what the expression reads.
	 * @param request the request
	 * @param early whether the user may be authenticated only after that
	 * @return a view that tells the same when the request is over
	 */
	@Nullable RequestView note(@Nullable RequestView request, boolean early) {
		return (request == null || this.reads.isEmpty()) ? request : new NotedRequest(request, this.reads, early);
	}

	/**
	 * Notes what the expression reads, for a thread on which there is no request.
	 * @param request the request
	 * @return a view that tells the same, and nothing else
	 * @throws RuntimeException if something cannot be read
	 */
	@Nullable RequestView detach(@Nullable RequestView request) {
		return (request != null) ? NotedRequest.detached(request, this.reads) : null;
	}

	/**
	 * A part of the request.
	 *
	 * @param word the property or function that reads it
	 * @param name its name, or an empty text
	 */
	record Read(String word, String name) {

		@Nullable Object of(RequestView request) {
			return switch (this.word) {
				case "clientAddress" -> request.clientAddress();
				case "principal", "claim" -> request.principal();
				case "path" -> request.path();
				case "method" -> request.method();
				case "session" -> request.session();
				case "header" -> request.header(this.name);
				case "parameter" -> request.parameter(this.name);
				case "cookie" -> request.cookie(this.name);
				case "pathVariable" -> request.pathVariable(this.name);
				default -> null;
			};
		}

	}

}
