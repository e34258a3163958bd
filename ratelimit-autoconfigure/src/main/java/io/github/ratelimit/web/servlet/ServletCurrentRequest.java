package io.github.ratelimit.web.servlet;

import java.lang.reflect.Method;

import io.github.ratelimit.enforce.CurrentRequest;
import io.github.ratelimit.enforce.PermitLedger;
import io.github.ratelimit.expression.RequestView;
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
		ServletRequestAttributes attributes = attributes();
		if (attributes == null) {
			return null;
		}
		RequestLimits limits = servedHere(attributes);
		if (limits != null) {
			return new HandlerView(attributes.getRequest(), limits, this.limits);
		}
		InheritedView view = new InheritedView(attributes, this.limits);
		return view.isServed() ? view : null;
	}

	@Override
	public boolean isServed(RequestView view) {
		return !(view instanceof InheritedView inherited) || inherited.isServed();
	}

	@Override
	public boolean consumeEnforced(Method method) {
		RequestLimits limits = servedHere(attributes());
		return limits != null && limits.consumeEnforced(method);
	}

	@Override
	public PermitLedger ledger(Method method) {
		RequestLimits limits = servedHere(attributes());
		return (limits != null) ? limits.ledger(method) : this.limits.newCallLedger();
	}

	@Override
	public void report(PermitLedger ledger) {
		ServletRequestAttributes attributes = attributes();
		RequestLimits limits = servedHere(attributes);
		HttpServletResponse response = (limits != null && attributes != null) ? attributes.getResponse() : null;
		if (limits != null && response != null) {
			limits.add(ledger);
			this.limits.report(limits, response);
		}
	}

	/*
	 * A thread that has inherited a request may outlive it, and would then read, or
	 * answer, another client's.
	 */
	private static @Nullable RequestLimits servedHere(@Nullable ServletRequestAttributes attributes) {
		if (attributes == null) {
			return null;
		}
		try {
			RequestLimits limits = RequestLimits.find(attributes);
			return (limits != null && limits.isServedHere()) ? limits : null;
		}
		catch (IllegalStateException ex) {
			return null;
		}
	}

	private static @Nullable ServletRequestAttributes attributes() {
		return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes servlet) ? servlet
				: null;
	}

}
