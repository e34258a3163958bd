package io.github.ratelimit.expression;

import java.security.Principal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

import io.github.ratelimit.request.RequestView;
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
 * @param onCallersThread whether it is evaluated on the request's own thread: it calls no
 * bean, or it needs the request itself, which is gone afterwards
 */
record RequestReads(List<Read> reads, boolean onCallersThread) {

	private static final Set<String> PROPERTIES = Set.of("clientAddress", "principal", "path", "method", "session");

	static final Set<String> FUNCTIONS = Set.of("header", "parameter", "cookie", "pathVariable", "claim");

	static RequestReads of(SpelNode expression) {
		List<SpelNode> nodes = ExpressionNodes.all(expression).toList();
		return new RequestReads(nodes.stream().map(RequestReads::read).filter(Objects::nonNull).toList(),
				nodes.stream().noneMatch(BeanReference.class::isInstance)
						|| nodes.stream().anyMatch(RequestReads::needsRequest));
	}

	/**
	 * What a part of an expression reads of the request. What is read of something else
	 * by the same name is noted in vain.
	 * @return what it reads, or {@code null} if that is nothing, or not told by its text
	 */
	static @Nullable Read read(SpelNode node) {
		if (node instanceof PropertyOrFieldReference property && PROPERTIES.contains(property.getName())) {
			return new Read(property.getName(), "");
		}
		if (node instanceof MethodReference function && FUNCTIONS.contains(function.getName()) && isOfLiteral(node)
				&& node.getChild(0) instanceof StringLiteral name) {
			return new Read(function.getName(), String.valueOf(name.getLiteralValue().getValue()));
		}
		return null;
	}

	/* What a text does not tell cannot be noted. */
	private static boolean needsRequest(SpelNode node) {
		String name = ExpressionNodes.name(node);
		return name.equals("request") || ExpressionNodes.isRoot(node, false)
				|| FUNCTIONS.contains(name) && !isOfLiteral(node);
	}

	private static boolean isOfLiteral(SpelNode function) {
		return function.getChildCount() == 1 && function.getChild(0) instanceof StringLiteral;
	}

	/**
	 * Notes what the expression reads. What cannot be read fails the charge, and not the
	 * request.
	 * @param request the request
	 * @param early whether the user may be authenticated only after that
	 * @return a view that tells the same when the request is over
	 */
	@Nullable RequestView note(@Nullable RequestView request, boolean early) {
		if (request == null || this.reads.isEmpty()) {
			return request;
		}
		Map<Read, @Nullable Object> noted = new HashMap<>();
		for (Read read : this.reads) {
			try {
				noted.put(read, read.reader().apply(request));
			}
			catch (RuntimeException ex) {
				continue;
			}
		}
		return new NotedRequest(request, noted, early);
	}

	/**
	 * Notes what the expression reads, for a thread on which there is no request.
	 * @param request the request
	 * @return a view that tells the same, and nothing else
	 * @throws RuntimeException if something cannot be read
	 */
	@Nullable RequestView detach(@Nullable RequestView request) {
		if (request == null) {
			return null;
		}
		Map<Read, @Nullable Object> noted = new HashMap<>();
		this.reads.forEach((read) -> noted.put(read, read.reader().apply(request)));
		return new NotedRequest(null, noted, false);
	}

	/**
	 * A part of the request.
	 *
	 * @param word the property or function that reads it
	 * @param name its name, or an empty text
	 */
	record Read(String word, String name) {

		/**
		 * Reads the part of any request.
		 */
		Function<RequestView, @Nullable Object> reader() {
			return switch (this.word) {
				case "clientAddress" -> RequestView::clientAddress;
				case "principal", "claim" -> RequestView::principal;
				case "path" -> RequestView::path;
				case "method" -> RequestView::method;
				case "session" -> RequestView::session;
				case "header" -> (request) -> request.header(this.name);
				case "parameter" -> (request) -> request.parameter(this.name);
				case "cookie" -> (request) -> request.cookie(this.name);
				case "pathVariable" -> (request) -> request.pathVariable(this.name);
				default -> throw new IllegalStateException(this.word);
			};
		}

	}

	/**
	 * A request as it was when it came, for a charge: when its outcome is known, the
	 * server's object may tell of an error page, or of another client's request. So it
	 * may for a plan, which another thread finds out.
	 *
	 * @param live tells what was not noted, or {@code null} if it may be gone
	 * @param noted what was noted
	 * @param early whether the user may have been authenticated since, as for a rule
	 */
	private record NotedRequest(@Nullable RequestView live, Map<Read, @Nullable Object> noted,
			boolean early) implements RequestView {

		private @Nullable String read(String word, String name) {
			Read read = new Read(word, name);
			return (String) (this.noted.containsKey(read) ? this.noted.get(read)
					: read.reader().apply(request(this.live)));
		}

		private static RequestView request(@Nullable RequestView live) {
			if (live == null) {
				throw new IllegalStateException("The request is read when it may be over");
			}
			return live;
		}

		@Override
		public String clientAddress() {
			return String.valueOf(read("clientAddress", ""));
		}

		@Override
		public @Nullable Principal principal() {
			for (Object value : this.noted.values()) {
				if (value instanceof Principal principal) {
					return principal;
				}
			}
			return this.early ? request(this.live).principal() : null;
		}

		@Override
		public @Nullable String header(String name) {
			return read("header", name);
		}

		@Override
		public @Nullable String cookie(String name) {
			return read("cookie", name);
		}

		@Override
		public @Nullable String parameter(String name) {
			return read("parameter", name);
		}

		@Override
		public String path() {
			return String.valueOf(read("path", ""));
		}

		@Override
		public @Nullable String pathVariable(String name) {
			return read("pathVariable", name);
		}

		@Override
		public String method() {
			return String.valueOf(read("method", ""));
		}

		@Override
		public @Nullable String session() {
			return read("session", "");
		}

		@Override
		public Object request() {
			return request(this.live).request();
		}

	}

}
