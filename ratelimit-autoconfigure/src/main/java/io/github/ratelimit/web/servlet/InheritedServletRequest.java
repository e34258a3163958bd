package io.github.ratelimit.web.servlet;

import java.lang.reflect.Method;
import java.security.Principal;
import java.util.List;

import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.LimitedRequest;
import io.github.ratelimit.request.RequestView;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * A servlet request as a thread has it that has inherited it and does not serve it. Such
 * a thread may outlive the request, and would then read another client's. So it may only
 * read the request while it is served, and has no response to change; what it calls
 * acquires permits for itself.
 */
final class InheritedServletRequest implements LimitedRequest, ServletRequestView {

	private final ServletRateLimits limits;

	private final ServletRequestAttributes bound;

	/**
	 * Creates the request.
	 * @param limits what all requests share
	 * @param bound the request as it is bound to the thread
	 */
	InheritedServletRequest(ServletRateLimits limits, ServletRequestAttributes bound) {
		this.limits = limits;
		this.bound = bound;
	}

	@Override
	public RequestView view() {
		return this;
	}

	@Override
	public boolean isServed() {
		try {
			// fails if it is over
			readAttribute();
			return true;
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

	/*
	 * Reads what is known of the request. Fails if it is over.
	 */
	private @Nullable Object readAttribute() {
		return this.bound.getAttribute(LimitedServletRequest.ATTRIBUTE, RequestAttributes.SCOPE_REQUEST);
	}

	/**
	 * {@inheritDoc}
	 * @throws IllegalStateException if the request is over: a server may have given the
	 * object to another request by now
	 */
	@Override
	public HttpServletRequest request() {
		if (!isServed()) {
			throw new IllegalStateException("The request that the thread has inherited is over");
		}
		return this.bound.getRequest();
	}

	@Override
	public @Nullable Principal principal() {
		return request().getUserPrincipal();
	}

	@Override
	public String clientAddress() {
		HttpServletRequest request = request();
		return this.limits.clientAddresses.resolve(request.getRemoteAddr(), request::getHeaders);
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * It is that of the request itself, while it is served.
	 */
	@Override
	public @Nullable List<AcquisitionEntry> decided() {
		try {
			if (readAttribute() instanceof LimitedServletRequest limited) {
				return limited.reportedEntries();
			}
			return List.of();
		}
		catch (IllegalStateException ex) {
			return null;
		}
	}

	@Override
	public Acquisition acquisition(Method method) {
		Acquisition acquisition = new Acquisition(this.limits.room);
		if (isExempt()) {
			acquisition.exempt();
		}
		return acquisition;
	}

	@Override
	public boolean isExempt() {
		try {
			return readAttribute() instanceof LimitedServletRequest limited && limited.isExempt();
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

}
