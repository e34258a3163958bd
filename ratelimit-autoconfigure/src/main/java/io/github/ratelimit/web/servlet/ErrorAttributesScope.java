package io.github.ratelimit.web.servlet;

import java.util.HashMap;
import java.util.Map;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;

/**
 * The attributes that a container sets for an error page, while a page is made that no
 * container has asked for.
 */
final class ErrorAttributesScope {

	private final HttpServletRequest request;

	private final Map<String, Object> before = new HashMap<>();

	ErrorAttributesScope(HttpServletRequest request, int status, String message) {
		this.request = request;
		set(RequestDispatcher.ERROR_STATUS_CODE, status);
		set(RequestDispatcher.ERROR_MESSAGE, message);
		set(RequestDispatcher.ERROR_REQUEST_URI, request.getRequestURI());
	}

	private void set(String name, Object value) {
		this.before.put(name, this.request.getAttribute(name));
		this.request.setAttribute(name, value);
	}

	void restore() {
		// null removes
		this.before.forEach(this.request::setAttribute);
	}

}
