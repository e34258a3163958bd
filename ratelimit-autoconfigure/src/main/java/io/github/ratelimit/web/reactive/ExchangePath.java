package io.github.ratelimit.web.reactive;

import java.util.List;
import java.util.Map;

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
		String pattern = rule.pattern().getPatternString();
		if (variables != null) {
			return new MatchedView(pattern, variables::get, this.view);
		}
		return new MatchedView(pattern, (name) -> rule.variable(name, this), this.view);
	}

}
