package io.github.ratelimit.web;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitPolicy;

/**
 * What does not change about a policy in what clients are sent, rendered once.
 */
final class PolicyText {

	final RateLimitPolicy policy;

	/* What each limit is called. */
	final List<String> names;

	/* The same as strings of RFC 9651. */
	final byte[][] quoted;

	/* Each limit's number. */
	final byte[][] limits;

	/* The items of RateLimit-Policy. */
	final byte[] header;

	PolicyText(RateLimitPolicy policy) {
		this.policy = policy;
		this.names = LimitNames.of(policy);
		this.quoted = this.names.stream().map((name) -> ascii(quote(name))).toArray(byte[][]::new);
		this.limits = policy.limits().stream().map((limit) -> FieldValue.of(limit.limit())).toArray(byte[][]::new);
		FieldValue header = new FieldValue();
		for (int i = 0; i < this.quoted.length; i++) {
			header.add(ascii(item(quote(this.names.get(i)), policy.limits().get(i))));
		}
		this.header = header.bytes;
	}

	private static String item(String quoted, RateLimit limit) {
		String item = quoted + ";q=" + limit.limit();
		return (limit.window().getNano() == 0) ? item + ";w=" + limit.window().toSeconds() : item;
	}

	private static byte[] ascii(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

	/* A string of RFC 9651: printable ASCII, which the policy made sure of. */
	private static String quote(String name) {
		return '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
	}

}
