package io.github.ratelimit.web.reactive;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.github.ratelimit.web.HeaderName;
import io.github.ratelimit.web.HeaderSettings;
import io.github.ratelimit.web.ResponseFields;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpResponse;

/**
 * The header fields of one response. Each decision sets them in place of those before. A
 * line of a list that somebody else has added stays beside ours.
 */
final class ExchangeResponseFields extends ResponseFields {

	private final ServerHttpResponse response;

	/* Our lines of the two lists, by the ordinals of their names. */
	private final @Nullable String[] own = new String[2];

	/* The other fields of ours. */
	private final Set<HeaderName> set = EnumSet.noneOf(HeaderName.class);

	ExchangeResponseFields(ServerHttpResponse response, HeaderSettings headers) {
		super(headers);
		this.response = response;
	}

	@Override
	protected void set(HeaderName name, byte[] value) {
		HttpHeaders headers = this.response.getHeaders();
		String text = new String(value, StandardCharsets.US_ASCII);
		if (!name.isList()) {
			headers.set(name.text(), text);
			this.set.add(name);
			return;
		}

		removeOwn(name);
		headers.add(name.text(), text);
		this.own[name.ordinal()] = text;
	}

	private void removeOwn(HeaderName name) {
		String before = this.own[name.ordinal()];
		if (before == null) {
			return;
		}

		HttpHeaders headers = this.response.getHeaders();
		List<String> lines = new ArrayList<>(headers.getOrEmpty(name.text()));
		lines.remove(before);
		if (lines.isEmpty()) {
			headers.remove(name.text());
		}
		else {
			headers.put(name.text(), lines);
		}
	}

	/**
	 * Removes what was set.
	 */
	void withdraw() {
		removeOwn(HeaderName.RATE_LIMIT_POLICY);
		removeOwn(HeaderName.RATE_LIMIT);
		this.set.forEach((name) -> this.response.getHeaders().remove(name.text()));
	}

}
