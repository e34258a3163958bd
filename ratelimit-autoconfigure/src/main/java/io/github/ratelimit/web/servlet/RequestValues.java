package io.github.ratelimit.web.servlet;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.web.util.WebUtils;

/**
 * The cookies that expressions read.
 */
final class RequestValues {

	private RequestValues() {
	}

	/**
	 * The value of the first cookie of a name.
	 * @param request the request
	 * @param name the cookie's name
	 * @return the value, or {@code null}
	 */
	static @Nullable String cookie(HttpServletRequest request, String name) {
		Cookie cookie = WebUtils.getCookie(request, name);
		return (cookie != null) ? cookie.getValue() : null;
	}

}
