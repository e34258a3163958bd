package io.github.ratelimit.web.reactive;

import java.security.Principal;
import java.util.List;

import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.web.RateLimitRule;
import io.github.ratelimit.web.RequestedPath;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * The path of an exchange within the application, which everything matches as it was
 * sent, segment by segment. What a handler of resources, or a server that a gateway
 * forwards to, makes of a path that is not clean are its other readings.
 */
final class ExchangePath extends RequestedPath {

	private final PathContainer path;

	private final ServerHttpRequest request;

	private final LimitedExchange limited;

	/**
	 * Creates the path of a request.
	 * @param request the request as the filter of the rule has it
	 * @param limited what is known of it
	 */
	ExchangePath(ServerHttpRequest request, LimitedExchange limited) {
		this(request, request.getPath().pathWithinApplication(), limited);
	}

	private ExchangePath(ServerHttpRequest request, PathContainer path, LimitedExchange limited) {
		super(request.getMethod().name(), path.value(), true);
		this.path = path;
		this.request = request;
		this.limited = limited;
	}

	@Override
	protected List<PathContainer> read() {
		return this.clean ? List.of(this.path) : readings(this.path, null, this.path.value());
	}

	/*
	 * The request, with the rule's pattern in place of a handler's.
	 */
	@Override
	protected RequestView view(RateLimitRule rule) {
		return new ExchangeView() {

			@Override
			public ServerHttpRequest request() {
				return ExchangePath.this.request;
			}

			@Override
			public String path() {
				return rule.pattern().getPatternString();
			}

			@Override
			public @Nullable String pathVariable(String name) {
				return rule.variable(name, ExchangePath.this);
			}

			@Override
			public String clientAddress() {
				return ExchangePath.this.limited.clientAddress();
			}

			@Override
			public @Nullable Principal principal() {
				return ExchangePath.this.limited.principal();
			}

			@Override
			public @Nullable String session() {
				return ExchangePath.this.limited.session();
			}

			@Override
			public @Nullable String parameter(String name) {
				return ExchangePath.this.limited.parameter(name);
			}

		};
	}

}
