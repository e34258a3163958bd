package io.github.ratelimit.web.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The request that a thread serves, for the methods that are called while it does. Spring
 * MVC binds it by itself; without it nobody does.
 */
final class BoundRequest {

	private static final BoundRequest BY_OTHERS = new BoundRequest(null);

	private final @Nullable ServletRequestAttributes attributes;

	private BoundRequest(@Nullable ServletRequestAttributes attributes) {
		this.attributes = attributes;
	}

	static BoundRequest bind(HttpServletRequest request, HttpServletResponse response) {
		if (RequestContextHolder.getRequestAttributes() != null) {
			return BY_OTHERS;
		}
		ServletRequestAttributes attributes = new ServletRequestAttributes(request, response);
		RequestContextHolder.setRequestAttributes(attributes);
		return new BoundRequest(attributes);
	}

	void unbind() {
		if (this.attributes != null) {
			RequestContextHolder.resetRequestAttributes();
			this.attributes.requestCompleted();
		}
	}

}
