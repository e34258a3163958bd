package io.github.ratelimit.web.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The request that a thread serves, for the methods that are called while it does. Spring
 * MVC binds it by itself; without it nobody does.
 */
final class BoundRequest {

	private final ServletRequestAttributes attributes;

	private final @Nullable RequestAttributes before;

	private BoundRequest(ServletRequestAttributes attributes, @Nullable RequestAttributes before) {
		this.attributes = attributes;
		this.before = before;
	}

	/**
	 * Binds a request to the calling thread.
	 * @return unbinds the request
	 */
	static BoundRequest bind(HttpServletRequest request, HttpServletResponse response) {
		BoundRequest bound = new BoundRequest(new ServletRequestAttributes(request, response),
				RequestContextHolder.getRequestAttributes());
		RequestContextHolder.setRequestAttributes(bound.attributes);
		return bound;
	}

	void unbind() {
		RequestContextHolder.setRequestAttributes(this.before);
		this.attributes.requestCompleted();
	}

}
