package io.github.ratelimit.web.reactive;

import java.security.Principal;
import java.util.List;
import java.util.function.Function;

import io.github.ratelimit.request.McpMessage;
import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * An exchange as expressions see it, with a pattern and variables of its path in place of
 * a handler's.
 *
 * @param path the pattern
 * @param variables finds the variables by name
 * @param exchange the exchange as it is seen otherwise
 */
record MatchedView(String path, Function<String, @Nullable String> variables,
		ExchangeView exchange) implements RequestView {

	@Override
	public @Nullable String pathVariable(String name) {
		return this.variables.apply(name);
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
