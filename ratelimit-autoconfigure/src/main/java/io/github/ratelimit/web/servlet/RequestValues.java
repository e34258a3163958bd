package io.github.ratelimit.web.servlet;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.StringTokenizer;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * The parameters and cookies that expressions read.
 */
final class RequestValues {

	private static final String MULTIPART = "multipart/";

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
		boolean multipart = type != null
				&& type.stripLeading().regionMatches(true, 0, MULTIPART, 0, MULTIPART.length());
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
		Cookie[] cookies = request.getCookies();
		if (cookies != null) {
			for (Cookie cookie : cookies) {
				if (cookie.getName().equals(name)) {
					return cookie.getValue();
				}
			}
		}
		return null;
	}

}
