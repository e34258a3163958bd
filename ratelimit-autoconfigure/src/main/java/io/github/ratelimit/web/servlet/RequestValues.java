package io.github.ratelimit.web.servlet;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.StringTokenizer;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;
import org.springframework.web.util.WebUtils;

/**
 * The parameters and cookies that expressions read.
 */
final class RequestValues {

	private RequestValues() {
	}

	/**
	 * The first value of a parameter. A server would parse all the parts of a multipart
	 * body to find it, so that only the query is looked at.
	 * @param request the request
	 * @param name the parameter's name
	 * @return the value, or {@code null}
	 * @throws RuntimeException if the server, or the query, cannot be read
	 */
	static @Nullable String parameter(HttpServletRequest request, String name) {
		String type = request.getContentType();
		boolean multipart = type != null && StringUtils.startsWithIgnoreCase(type.stripLeading(), "multipart/");
		return multipart ? queryParameter(request.getQueryString(), name) : request.getParameter(name);
	}

	private static @Nullable String queryParameter(@Nullable String query, String name) {
		StringTokenizer parameters = new StringTokenizer((query != null) ? query : "", "&");
		while (parameters.hasMoreTokens()) {
			String parameter = parameters.nextToken();
			int equals = parameter.indexOf('=');
			if (decode((equals >= 0) ? parameter.substring(0, equals) : parameter).equals(name)) {
				return (equals >= 0) ? decode(parameter.substring(equals + 1)) : "";
			}
		}
		return null;
	}

	private static String decode(String text) {
		return URLDecoder.decode(text, StandardCharsets.UTF_8);
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
