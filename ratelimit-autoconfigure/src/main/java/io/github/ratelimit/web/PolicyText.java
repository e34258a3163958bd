package io.github.ratelimit.web;

import java.util.List;

import io.github.ratelimit.RateLimitPolicy;

/**
 * What does not change about a policy in what clients are sent, rendered once.
 */
final class PolicyText {

	/* What each limit is called. */
	final List<String> names;

	final DraftItem[] items;

	/* The items of RateLimit-Policy. */
	final byte[] header;

	PolicyText(RateLimitPolicy policy, List<String> names) {
		this.names = names;
		this.items = new DraftItem[names.size()];
		byte[] header = FieldValue.NONE;
		for (int i = 0; i < names.size(); i++) {
			this.items[i] = new DraftItem(names.get(i), policy.limits().get(i));
			header = FieldValue.joined(header, this.items[i].policy);
		}
		this.header = header;
	}

}
