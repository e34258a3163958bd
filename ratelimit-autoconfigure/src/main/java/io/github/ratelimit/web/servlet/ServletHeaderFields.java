package io.github.ratelimit.web.servlet;

import java.nio.charset.StandardCharsets;

import io.github.ratelimit.web.HeaderName;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Sets the header fields of any response, as servlets do.
 */
record ServletHeaderFields(HttpServletResponse response) implements HeaderFields {

	@Override
	public boolean areSent() {
		return this.response.isCommitted();
	}

	@Override
	public void set(HeaderName name, byte[] value) {
		String text = ascii(value);
		boolean shared = name.isList() && this.response.containsHeader(name.text());
		this.response.setHeader(name.text(),
				shared ? NamedItems.merged(text, this.response.getHeaders(name.text())) : text);
	}

	@Override
	public void remove(HeaderName name, byte[] value) {
		String text = ascii(value);
		if (!name.isRetry() || text.equals(this.response.getHeader(name.text()))) {
			this.response.setHeader(name.text(),
					name.isList() ? NamedItems.without(text, this.response.getHeaders(name.text())) : null);
		}
	}

	private static String ascii(byte[] value) {
		return new String(value, StandardCharsets.US_ASCII);
	}

}
