package io.github.ratelimit.web.servlet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import io.github.ratelimit.web.HeaderFamily;
import io.github.ratelimit.web.HeaderName;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.HttpHeaders;
import org.springframework.util.StringUtils;

/**
 * Lets scripts of other origins read the header fields that tell of their limits, where
 * the application lets them read its answers.
 */
final class ExposedHeaders {

	private static final String ANY = "*";

	private final List<String> names;

	private final String all;

	private ExposedHeaders(List<String> names) {
		this.names = names;
		this.all = String.join(", ", names);
	}

	/**
	 * Exposes the fields that are sent.
	 * @param families which families are
	 * @return the fields
	 */
	static ExposedHeaders of(Collection<HeaderFamily> families) {
		List<String> names = new ArrayList<>();
		for (HeaderName name : HeaderName.values()) {
			if (name.isSentWith(families)) {
				names.add(name.text());
			}
		}
		return new ExposedHeaders(names);
	}

	/**
	 * Leaves what is exposed to the application.
	 * @return no fields
	 */
	static ExposedHeaders none() {
		return new ExposedHeaders(List.of());
	}

	/**
	 * Exposes the fields of a response, unless the application exposes them itself.
	 * @param request the request
	 * @param response the response, which has its fields, and is left alone if it is
	 * committed
	 */
	void apply(HttpServletRequest request, HttpServletResponse response) {
		if (this.names.isEmpty() || request.getHeader(HttpHeaders.ORIGIN) == null || response.isCommitted()
				|| !response.containsHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN) || !hasAnyOf(response)) {
			return;
		}
		Collection<String> exposed = response.getHeaders(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS);
		String missing = exposed.isEmpty() ? this.all : missing(exposed, response);
		if (!missing.isEmpty()) {
			response.addHeader(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, missing);
		}
	}

	private boolean hasAnyOf(HttpServletResponse response) {
		return response.containsHeader(this.names.get(0)) || response.containsHeader(HttpHeaders.RETRY_AFTER);
	}

	private String missing(Collection<String> fields, HttpServletResponse response) {
		List<String> exposed = fields.stream()
			.flatMap((field) -> Arrays.stream(StringUtils.tokenizeToStringArray(field, ",")))
			.toList();
		if (exposed.contains(ANY) && !allowsCredentials(response)) {
			return "";
		}
		return String.join(", ",
				this.names.stream().filter((name) -> exposed.stream().noneMatch(name::equalsIgnoreCase)).toList());
	}

	/* With credentials, browsers take the asterisk for a name. */
	private static boolean allowsCredentials(HttpServletResponse response) {
		return Boolean.parseBoolean(response.getHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_CREDENTIALS));
	}

}
