package io.github.ratelimit.web.servlet;

import java.lang.reflect.Method;

import io.github.ratelimit.PermitLedger;
import io.github.ratelimit.expression.CurrentRequest;
import io.github.ratelimit.expression.RequestView;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The servlet request that Spring has bound to the calling thread.
 */
public final class ServletCurrentRequest implements CurrentRequest {

	private final ServletRateLimits limits;

	/**
	 * Creates the bridge.
	 * @param limits the decisions and headers of requests
	 */
	public ServletCurrentRequest(ServletRateLimits limits) {
		this.limits = limits;
	}

	@Override
	public @Nullable RequestView view() {
		HttpServletRequest request = request();
		return (request != null) ? new HandlerView(request, this.limits.of(request), this.limits) : null;
	}

	@Override
	public boolean consumeEnforced(Method method) {
		HttpServletRequest request = request();
		RequestLimits limits = (request != null) ? RequestLimits.find(request) : null;
		return limits != null && limits.consumeEnforced(method);
	}

	@Override
	public PermitLedger ledger(Method method) {
		HttpServletRequest request = request();
		RequestLimits limits = (request != null) ? RequestLimits.find(request) : null;
		return (limits != null && limits.isHandler(method)) ? limits.ledger() : new PermitLedger(this.limits.clock());
	}

	@Override
	public void report(PermitLedger ledger) {
		ServletRequestAttributes attributes = attributes();
		HttpServletResponse response = (attributes != null) ? attributes.getResponse() : null;
		if (attributes != null && response != null) {
			RequestLimits limits = this.limits.of(attributes.getRequest());
			limits.add(ledger);
			this.limits.report(limits, response);
		}
	}

	private static @Nullable HttpServletRequest request() {
		ServletRequestAttributes attributes = attributes();
		return (attributes != null) ? attributes.getRequest() : null;
	}

	private static @Nullable ServletRequestAttributes attributes() {
		return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes servlet) ? servlet
				: null;
	}

}
