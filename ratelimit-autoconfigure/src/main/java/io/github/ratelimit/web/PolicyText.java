package io.github.ratelimit.web;

import java.time.Duration;
import java.util.ArrayList;
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

	/**
	 * What each limit of a policy is called towards clients: as the policy is, with the
	 * window appended where the policy has several.
	 * @param policyName what the policy is called
	 * @param policy the policy
	 */
	static List<String> names(String policyName, RateLimitPolicy policy) {
		if (policy.limits().size() == 1) {
			return List.of(policyName);
		}
		List<String> names = new ArrayList<>();
		policy.limits().forEach((limit) -> {
			String name = policyName + "-" + text(limit);
			String unique = name;
			for (int i = 2; names.contains(unique); i++) {
				unique = name + "-" + i;
			}
			names.add(unique);
		});
		return List.copyOf(names);
	}

	private static String text(RateLimit limit) {
		return (limit.calendar() != null) ? limit.calendar().unit() : text(limit.window());
	}

	private static String text(Duration window) {
		long micros = window.toNanos() / 1_000;
		if (micros % 1_000 != 0) {
			return micros + "us";
		}
		if (micros % 1_000_000 != 0) {
			return micros / 1_000 + "ms";
		}
		long seconds = window.toSeconds();
		if (seconds % 86_400 == 0) {
			return seconds / 86_400 + "d";
		}
		if (seconds % 3_600 == 0) {
			return seconds / 3_600 + "h";
		}
		return (seconds % 60 == 0) ? seconds / 60 + "m" : seconds + "s";
	}

}
