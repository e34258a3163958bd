package io.github.ratelimit.web.servlet;

import java.security.Principal;
import java.util.Map;

import io.github.ratelimit.expression.RequestView;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;

/**
 * What expressions see of a servlet request.
 */
abstract class ServletRequestView implements RequestView {

	private final HttpServletRequest request;

	private final RequestLimits limits;

	private final ServletRateLimits shared;

	ServletRequestView(HttpServletRequest request, RequestLimits limits, ServletRateLimits shared) {
		this.request = request;
		this.limits = limits;
		this.shared = shared;
	}

	abstract Map<String, String> pathVariables();

	@Override
	public String clientAddress() {
		return this.shared.clientAddress(this.request, this.limits);
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
	public @Nullable String parameter(String name) {
		return this.request.getParameter(name);
	}

	@Override
	public @Nullable String pathVariable(String name) {
		return pathVariables().get(name);
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
	public HttpServletRequest request() {
		return this.request;
	}

}
