package io.github.ratelimit.web;

import java.util.List;

import io.github.ratelimit.RateLimit;
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

	/* What each limit counts down from. */
	final byte[][] capacities;

	PolicyText(RateLimitPolicy policy, List<String> names) {
		this.names = names;
		this.items = new DraftItem[names.size()];
		this.capacities = new byte[names.size()][];
		FieldValue header = new FieldValue();
		for (int i = 0; i < names.size(); i++) {
			RateLimit limit = policy.limits().get(i);
			this.items[i] = new DraftItem(names.get(i), limit);
			this.capacities[i] = FieldValue.of(limit.capacity());
			header.add(this.items[i].policy);
		}
		this.header = header.bytes;
	}

}
