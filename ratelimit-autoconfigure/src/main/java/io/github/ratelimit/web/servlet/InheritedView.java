package io.github.ratelimit.web.servlet;

import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The view of a request from a thread that does not serve it: what it tells holds only if
 * the request is still served afterwards.
 */
final class InheritedView extends HandlerView {

	private final ServletRequestAttributes attributes;

	InheritedView(ServletRequestAttributes attributes, ServletRateLimits shared) {
		super(attributes.getRequest(), RequestLimits.detached(shared), shared);
		this.attributes = attributes;
	}

	boolean isServed() {
		try {
			this.attributes.getAttribute(InheritedView.class.getName(), RequestAttributes.SCOPE_REQUEST);
			return true;
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

}
