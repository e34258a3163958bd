package io.github.ratelimit.web.servlet;

import java.security.Principal;
import java.util.Map;
import java.util.function.Supplier;

import io.github.ratelimit.expression.RequestView;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;

/**
 * What expressions see of a servlet request.
 */
final class ServletRequestView implements RequestView {

	private final HttpServletRequest request;

	private final ServletRateLimits limits;

	private final String path;

	private final Supplier<Map<String, String>> variables;

	ServletRequestView(HttpServletRequest request, ServletRateLimits limits, String path,
			Supplier<Map<String, String>> variables) {
		this.request = request;
		this.limits = limits;
		this.path = path;
		this.variables = variables;
	}

	@Override
	public String clientAddress() {
		return this.limits.clientAddress(this.request);
	}

	@Override
	public @Nullable Principal principal() {
		return this.request.getUserPrincipal();
	}

	@Override
	public @Nullable String header(String name) {
		return this.request.getHeader(name);
	}

	@Override
	public String path() {
		return this.path;
	}

	@Override
	public @Nullable String pathVariable(String name) {
		return this.variables.get().get(name);
	}

	@Override
	public String method() {
		return this.request.getMethod();
	}

	@Override
	public @Nullable String session() {
		HttpSession session = this.request.getSession(false);
		return (session != null) ? session.getId() : null;
	}

	@Override
	public Object request() {
		return this.request;
	}

}
