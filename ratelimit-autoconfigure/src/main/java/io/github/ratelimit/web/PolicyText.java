package io.github.ratelimit.web;

import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitPolicy;

/**
 * What does not change about a policy in what clients are sent, rendered once.
 */
final class PolicyText {

	private final RateLimitPolicy policy;

	private final List<String> names;

	private final String[] quoted;

	private final String[] limits;

	private final String header;

	PolicyText(RateLimitPolicy policy) {
		this.policy = policy;
		this.names = LimitNames.of(policy);
		this.quoted = this.names.stream().map(PolicyText::quote).toArray(String[]::new);
		this.limits = policy.limits().stream().map((limit) -> Long.toString(limit.limit())).toArray(String[]::new);
		StringBuilder header = new StringBuilder();
		for (int i = 0; i < this.quoted.length; i++) {
			header.append((i > 0) ? ", " : "").append(item(this.quoted[i], policy.limits().get(i)));
		}
		this.header = header.toString();
	}

	private static String item(String quoted, RateLimit limit) {
		String item = quoted + ";q=" + limit.limit();
		return (limit.window().getNano() == 0) ? item + ";w=" + limit.window().toSeconds() : item;
	}

	/* A string of RFC 9651: printable ASCII, which the policy made sure of. */
	private static String quote(String name) {
		return '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
	}

	boolean isOf(RateLimitPolicy policy) {
		return this.policy == policy || this.policy.equals(policy);
	}

	List<String> names() {
		return this.names;
	}

	String quoted(int limit) {
		return this.quoted[limit];
	}

	String limit(int limit) {
		return this.limits[limit];
	}

	String header() {
		return this.header;
	}

}
