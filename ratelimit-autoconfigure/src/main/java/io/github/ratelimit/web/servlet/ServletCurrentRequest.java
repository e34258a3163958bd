package io.github.ratelimit.web.servlet;

import io.github.ratelimit.enforce.CurrentRequest;
import io.github.ratelimit.enforce.LimitedRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Finds the servlet request that Spring has bound to the calling thread.
 */
final class ServletCurrentRequest implements CurrentRequest {

	private final ServletRateLimits limits;

	/**
	 * Creates the bridge.
	 * @param limits what all requests share
	 */
	ServletCurrentRequest(ServletRateLimits limits) {
		this.limits = limits;
	}

	/*
	 * A thread that has inherited a request may outlive it, and would then read, or
	 * answer, another client's.
	 */
	@Override
	public @Nullable LimitedRequest find() {
		if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)) {
			return null;
		}
		try {
			LimitedServletRequest limited = LimitedServletRequest.find(attributes);
			if (limited != null && limited.servedBy == Thread.currentThread()) {
				limited.use(attributes.getRequest(), attributes.getResponse());
				return limited;
			}
			return new InheritedServletRequest(this.limits, attributes);
		}
		catch (IllegalStateException ex) {
			return null;
		}
	}

}
