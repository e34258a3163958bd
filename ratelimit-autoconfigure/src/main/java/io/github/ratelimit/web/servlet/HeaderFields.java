package io.github.ratelimit.web.servlet;

import io.github.ratelimit.web.HeaderFieldSetter;
import io.github.ratelimit.web.HeaderName;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.util.ClassUtils;

/**
 * The header fields of a response, set in the way that costs its container least. What
 * others have put into a list stays there beside ours, and any other field of the same
 * name is replaced.
 */
interface HeaderFields extends HeaderFieldSetter {

	boolean TOMCAT = ClassUtils.isPresent("org.apache.catalina.connector.ResponseFacade",
			HeaderFields.class.getClassLoader());

	/**
	 * Finds the fields of a response.
	 * @param response the response
	 * @return sets each field once, unless they are sent
	 */
	static HeaderFields of(HttpServletResponse response) {
		HeaderFields fields = TOMCAT ? TomcatHeaderFields.find(response) : null;
		return (fields != null) ? fields : new ServletHeaderFields(response);
	}

	/**
	 * Whether it is too late to set a field. Tomcat tells the application so before it
	 * is, once the application has redirected the client.
	 * @return {@code true} if the fields have been sent
	 */
	boolean areSent();

	/**
	 * Takes out what we have set. When to come back, the application may have said
	 * otherwise.
	 * @param name the field's name
	 * @param value the value that it was to have
	 */
	void remove(HeaderName name, byte[] value);

}
