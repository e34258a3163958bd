package io.github.ratelimit.web.reactive;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

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
			return;
		}

		String before = this.own[name.ordinal()];
		if (before != null) {
			List<String> lines = new ArrayList<>(headers.getOrEmpty(name.text()));
			lines.remove(before);
			headers.put(name.text(), lines);
		}
		headers.add(name.text(), text);
		this.own[name.ordinal()] = text;
	}

}
