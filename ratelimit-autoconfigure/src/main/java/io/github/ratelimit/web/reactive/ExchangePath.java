package io.github.ratelimit.web.reactive;

import java.security.Principal;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.request.McpMessage;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.web.rules.RateLimitRule;
import io.github.ratelimit.web.rules.RequestedPath;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * The path of an exchange within the application, which everything matches as it was
 * sent, segment by segment. What a handler of resources, or a server that a gateway
 * forwards to, makes of a path that is not clean are its other readings.
 */
final class ExchangePath extends RequestedPath {

	private final RequestPath path;

	private final @Nullable ExchangeView view;

	/**
	 * Creates the path of a request.
	 * @param request the request as the filter of the rule has it
	 * @param view what expressions see of it, or {@code null} if rules are not asked
	 */
	ExchangePath(ServerHttpRequest request, @Nullable ExchangeView view) {
		super(request.getMethod().name(), request.getPath().pathWithinApplication().value(),
				request.getPath().contextPath().value().isEmpty());
		this.path = request.getPath();
		this.view = view;
	}

	@Override
	protected List<PathContainer> read() {
		PathContainer path = this.path.pathWithinApplication();
		List<PathContainer> within = this.clean ? List.of(path) : readings(path, null, path.value());
		if (this.path.contextPath().value().isEmpty()) {
			return within;
		}
		return prefixed(this.path.value(), within);
	}

	@Override
	protected RequestView view(RateLimitRule rule, @Nullable Map<String, String> variables) {
		if (this.view == null) {
			return super.view(rule, variables);
		}
		return new RuleView(rule, this, variables, this.view);
	}

	/**
	 * The exchange as the expressions of a rule see it, with the rule's pattern in place
	 * of a handler's.
	 *
	 * @param rule the rule
	 * @param matched the path that it has matched
	 * @param variables the variables of the rule's pattern, or {@code null} to find them
	 * once they are read
	 * @param exchange the exchange as it is seen otherwise
	 */
	private record RuleView(RateLimitRule rule, ExchangePath matched, @Nullable Map<String, String> variables,
			ExchangeView exchange) implements RequestView {

		@Override
		public String path() {
			return this.rule.pattern().getPatternString();
		}

		@Override
		public @Nullable String pathVariable(String name) {
			if (this.variables != null) {
				return this.variables.get(name);
			}
			return this.rule.variable(name, this.matched);
		}

		@Override
		public ServerHttpRequest request() {
			return this.exchange.request();
		}

		@Override
		public String clientAddress() {
			return this.exchange.clientAddress();
		}

		@Override
		public @Nullable Principal principal() {
			return this.exchange.principal();
		}

		@Override
		public @Nullable String header(String name) {
			return this.exchange.header(name);
		}

		@Override
		public @Nullable String cookie(String name) {
			return this.exchange.cookie(name);
		}

		@Override
		public List<String> parameters(String name) {
			return this.exchange.parameters(name);
		}

		@Override
		public String method() {
			return this.exchange.method();
		}

		@Override
		public @Nullable String session() {
			return this.exchange.session();
		}

		@Override
		public McpMessage mcp() {
			return this.exchange.mcp();
		}

	}

}
