package io.github.ratelimit.web.servlet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import io.github.ratelimit.web.HeaderFamily;
import io.github.ratelimit.web.HeaderName;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.util.StringUtils;

/**
 * Lets scripts of other origins read the header fields that tell of their limits, where
 * the application lets them read its answers.
 */
final class ExposedHeaders {

	private static final String ANY = "*";

	private final List<String> names = new ArrayList<>();

	/**
	 * Exposes the fields that are sent.
	 * @param families which families are, or {@code null} to leave it to the application
	 */
	ExposedHeaders(@Nullable Collection<HeaderFamily> families) {
		for (HeaderName name : HeaderName.values()) {
			if (families != null && name.isSentWith(families)) {
				this.names.add(name.text());
			}
		}
	}

	/**
	 * Exposes the fields of a response, unless the application exposes them itself.
	 * @param response the response, which has its fields, and is left alone if it is
	 * committed
	 */
	void apply(HttpServletResponse response) {
		if (this.names.isEmpty() || response.isCommitted()
				|| !response.containsHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN) || !hasAnyOf(response)) {
			return;
		}
		List<String> exposed = response.getHeaders(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS)
			.stream()
			.flatMap((field) -> Arrays.stream(StringUtils.tokenizeToStringArray(field, ",")))
			.toList();
		List<String> missing = this.names.stream()
			.filter((name) -> exposed.stream().noneMatch(name::equalsIgnoreCase))
			.toList();
		if (!missing.isEmpty() && (!exposed.contains(ANY) || allowsCredentials(response))) {
			response.addHeader(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, String.join(", ", missing));
		}
	}

	private boolean hasAnyOf(HttpServletResponse response) {
		return response.containsHeader(this.names.get(0)) || response.containsHeader(HttpHeaders.RETRY_AFTER);
	}

	/* With credentials, browsers take the asterisk for a name. */
	private static boolean allowsCredentials(HttpServletResponse response) {
		return Boolean.parseBoolean(response.getHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_CREDENTIALS));
	}

}
