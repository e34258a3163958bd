package io.github.ratelimit.web.servlet;

import java.lang.reflect.Method;

import io.github.ratelimit.enforce.Acquisition;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * A request as a thread has it that does not serve it. What it tells holds only if the
 * request is still served afterwards, and its response is not the thread's to change.
 */
final class InheritedServletRequest extends LimitedServletRequest {

	private final ServletRequestAttributes attributes;

	InheritedServletRequest(ServletRateLimits limits, ServletRequestAttributes attributes) {
		super(limits, attributes.getRequest(), null);
		this.attributes = attributes;
	}

	@Override
	public boolean isServed() {
		try {
			this.attributes.getAttribute(InheritedServletRequest.class.getName(), RequestAttributes.SCOPE_REQUEST);
			return true;
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * A server may have given the object to another request by now.
	 * @throws IllegalStateException if the request is over
	 */
	@Override
	public HttpServletRequest request() {
		if (!isServed()) {
			throw new IllegalStateException("The request that the thread has inherited is over");
		}
		return super.request();
	}

	@Override
	public String clientAddress() {
		request();
		return super.clientAddress();
	}

	@Override
	public Acquisition acquisition(Method method) {
		return new Acquisition(this.limits.clock, this.limits.room, Long.MAX_VALUE);
	}

}
