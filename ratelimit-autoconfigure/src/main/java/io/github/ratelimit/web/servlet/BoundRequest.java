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
	 * Binds the request, unless it is bound already.
	 * @return unbinds the request; {@code null} if somebody else does
	 */
	static @Nullable BoundRequest bind(HttpServletRequest request, HttpServletResponse response,
			LimitedServletRequest limits) {
		RequestAttributes before = RequestContextHolder.getRequestAttributes();
		if (before != null && !isOfAnother(before, limits)) {
			return null;
		}
		ServletRequestAttributes attributes = new ServletRequestAttributes(request, response);
		RequestContextHolder.setRequestAttributes(attributes);
		return new BoundRequest(attributes, before);
	}

	/*
	 * A thread of the server that was started while another request was served may have
	 * inherited that one.
	 */
	private static boolean isOfAnother(RequestAttributes attributes, LimitedServletRequest limits) {
		try {
			return attributes instanceof ServletRequestAttributes && LimitedServletRequest.find(attributes) != limits;
		}
		catch (IllegalStateException ex) {
			return true;
		}
	}

	void unbind() {
		RequestContextHolder.setRequestAttributes(this.before);
		this.attributes.requestCompleted();
	}

}
