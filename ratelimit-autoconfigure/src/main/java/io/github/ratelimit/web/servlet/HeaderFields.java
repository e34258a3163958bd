package io.github.ratelimit.web.servlet;

import java.util.function.BiConsumer;

import jakarta.servlet.http.HttpServletResponse;

import org.springframework.util.ClassUtils;

/**
 * Sets the header fields of a response, in the way that costs its container least.
 */
final class HeaderFields {

	private static final boolean TOMCAT = ClassUtils.isPresent("org.apache.catalina.connector.ResponseFacade",
			HeaderFields.class.getClassLoader());

	private HeaderFields() {
	}

	/**
	 * Finds the fields of a response.
	 * @param response the response, not committed
	 * @return sets a field, in place of any earlier value
	 */
	static BiConsumer<String, String> of(HttpServletResponse response) {
		TomcatHeaderFields fields = TOMCAT ? TomcatHeaderFields.find(response) : null;
		return (fields != null) ? fields : response::setHeader;
	}

}
