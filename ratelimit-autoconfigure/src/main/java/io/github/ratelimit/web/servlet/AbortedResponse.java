package io.github.ratelimit.web.servlet;

import java.io.IOException;

import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.ClientAbortException;

import org.springframework.util.ClassUtils;

/**
 * Ends a response that was half sent when the rest of it was rejected, as a stream may
 * be: its client must see that it is not whole, and nobody else need hear of it.
 */
final class AbortedResponse {

	private static final boolean TOMCAT = ClassUtils.isPresent("org.apache.catalina.connector.ClientAbortException",
			AbortedResponse.class.getClassLoader());

	private AbortedResponse() {
	}

	/**
	 * Aborts the response, if it is one of these, by the one exception that Tomcat closes
	 * the connection for without logging an error and without adding an error page to
	 * what was sent.
	 * @param thrown what the request ended with
	 * @param response the response
	 * @throws IOException to abort
	 */
	static void abort(Throwable thrown, HttpServletResponse response) throws IOException {
		if (TOMCAT && response.isCommitted() && RateLimitRejections.find(thrown) != null) {
			throw Tomcat.abort(thrown);
		}
	}

	private static final class Tomcat {

		static IOException abort(Throwable cause) {
			return new ClientAbortException(cause);
		}

	}

}
