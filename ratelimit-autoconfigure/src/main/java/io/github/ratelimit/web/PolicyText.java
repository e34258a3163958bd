package io.github.ratelimit.web;

import java.util.List;
import java.util.stream.IntStream;

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
		this.items = IntStream.range(0, this.names.size())
			.mapToObj((i) -> new DraftItem(this.names.get(i), policy.limits().get(i)))
			.toArray(DraftItem[]::new);
		this.capacities = policy.limits()
			.stream()
			.map((limit) -> FieldValue.of(limit.capacity()))
			.toArray(byte[][]::new);
		FieldValue header = new FieldValue();
		for (DraftItem item : this.items) {
			header.add(item.policy);
		}
		this.header = header.bytes;
	}

}
