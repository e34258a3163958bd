package io.github.ratelimit.web.servlet;

import java.nio.charset.StandardCharsets;

import io.github.ratelimit.web.HeaderFieldSetter;
import io.github.ratelimit.web.HeaderName;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.util.ClassUtils;

/**
 * Sets the header fields of a response, in the way that costs its container least. What
 * others have put into a list stays there beside ours, and any other field of the same
 * name is replaced.
 */
final class HeaderFields {

	private static final boolean TOMCAT = ClassUtils.isPresent("org.apache.catalina.connector.ResponseFacade",
			HeaderFields.class.getClassLoader());

	private HeaderFields() {
	}

	/**
	 * Finds the fields of a response.
	 * @param response the response, not committed
	 * @return sets each field once
	 */
	static HeaderFieldSetter of(HttpServletResponse response) {
		TomcatHeaderFields fields = TOMCAT ? TomcatHeaderFields.find(response) : null;
		return (fields != null) ? fields : (name, value) -> set(response, name, ascii(value));
	}

	private static void set(HttpServletResponse response, HeaderName name, String value) {
		boolean shared = name.isList() && response.containsHeader(name.text());
		response.setHeader(name.text(), shared ? NamedItems.merged(value, response.getHeaders(name.text())) : value);
	}

	/**
	 * Finds the fields of a response that is not to have ours after all.
	 * @param response the response, not committed
	 * @return removes each field that it is to set, unless the application has said
	 * otherwise when to come back
	 */
	static HeaderFieldSetter without(HttpServletResponse response) {
		TomcatHeaderFields fields = TOMCAT ? TomcatHeaderFields.find(response) : null;
		return (fields != null) ? fields::remove : (name, value) -> remove(response, name, ascii(value));
	}

	private static void remove(HttpServletResponse response, HeaderName name, String value) {
		if (!name.isRetry() || value.equals(response.getHeader(name.text()))) {
			response.setHeader(name.text(),
					name.isList() ? NamedItems.without(value, response.getHeaders(name.text())) : null);
		}
	}

	/**
	 * Whether it is too late to set a field. Tomcat tells the application so before it
	 * is, once the application has redirected the client.
	 * @param response the response
	 * @return {@code true} if the fields have been sent
	 */
	static boolean areSent(HttpServletResponse response) {
		return TOMCAT ? TomcatHeaderFields.areSent(response) : response.isCommitted();
	}

	private static String ascii(byte[] value) {
		return new String(value, StandardCharsets.US_ASCII);
	}

}
