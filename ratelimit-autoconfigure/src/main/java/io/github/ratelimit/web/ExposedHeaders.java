package io.github.ratelimit.web;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.util.StringUtils;

/**
 * Lets scripts of other origins read the header fields that tell of their limits, where
 * the application lets them read its answers.
 *
 * @since 0.1.0
 */
public final class ExposedHeaders {

	private static final String ANY = "*";

	private final List<String> names = new ArrayList<>();

	/**
	 * Exposes the fields that are sent.
	 * @param families which families are, or {@code null} to leave it to the application
	 */
	public ExposedHeaders(@Nullable Collection<HeaderFamily> families) {
		for (HeaderName name : HeaderName.values()) {
			if (families != null && name.isSentWith(families)) {
				this.names.add(name.text());
			}
		}
	}

	/**
	 * Exposes the fields of a response that is not committed, unless the application
	 * exposes them itself.
	 * @param lines gives the lines of a field that the response has by now
	 * @param add adds a line
	 */
	public void apply(Function<String, ? extends Collection<String>> lines, BiConsumer<String, String> add) {
		if (this.names.isEmpty() || lines.apply(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN).isEmpty()
				|| lines.apply(this.names.get(0)).isEmpty() && lines.apply(HttpHeaders.RETRY_AFTER).isEmpty()) {
			return;
		}
		List<String> exposed = lines.apply(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS)
			.stream()
			.flatMap((field) -> Arrays.stream(StringUtils.tokenizeToStringArray(field, ",")))
			.toList();
		List<String> missing = this.names.stream()
			.filter((name) -> exposed.stream().noneMatch(name::equalsIgnoreCase))
			.toList();
		// with credentials, browsers take the asterisk for a name
		boolean credentials = lines.apply(HttpHeaders.ACCESS_CONTROL_ALLOW_CREDENTIALS).contains("true");
		if (!missing.isEmpty() && (!exposed.contains(ANY) || credentials)) {
			add.accept(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, String.join(", ", missing));
		}
	}

}
