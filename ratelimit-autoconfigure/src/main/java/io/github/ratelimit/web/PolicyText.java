package io.github.ratelimit.web;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitPolicy;

import org.springframework.format.annotation.DurationFormat;

/**
 * The texts about a policy that are the same in every response, rendered once.
 */
final class PolicyText {

	/* The headers that the texts were rendered for. */
	final HeaderSettings headers;

	final DraftItem[] items;

	/* The items of RateLimit-Policy. */
	final byte[] policyItems;

	PolicyText(HeaderSettings headers, RateLimitPolicy policy) {
		List<String> names = headers.names(policy);
		this.headers = headers;
		this.items = new DraftItem[names.size()];

		byte[] joined = DraftItem.NONE;
		for (int i = 0; i < this.items.length; i++) {
			this.items[i] = new DraftItem(names.get(i), policy.limits().get(i));
			if (i == 0) {
				joined = this.items[i].policy;
			}
			else {
				joined = DraftItem.joined(joined, this.items[i].policy);
			}
		}
		this.policyItems = joined;
	}

	/**
	 * Names each limit of a policy for responses: as the policy is called, with the
	 * window appended where the policy has several limits, and a number where two of them
	 * would have the same name.
	 * @param policyName what the policy is called
	 * @param policy the policy
	 */
	static List<String> names(String policyName, RateLimitPolicy policy) {
		if (policy.limits().size() == 1) {
			return List.of(policyName);
		}

		List<String> names = new ArrayList<>();
		for (RateLimit limit : policy.limits()) {
			String name = policyName + "-" + text(limit);
			String unique = name;
			for (int i = 2; names.contains(unique); i++) {
				unique = name + "-" + i;
			}
			names.add(unique);
		}
		return List.copyOf(names);
	}

	private static String text(RateLimit limit) {
		if (limit.calendar() != null) {
			return limit.calendar().unit();
		}
		return text(limit.window());
	}

	/*
	 * A window is written in the largest unit of which it is a whole number.
	 */
	private static String text(Duration window) {
		DurationFormat.Unit[] units = DurationFormat.Unit.values();
		int i = units.length - 1;
		while (window.toNanos() % units[i].asChronoUnit().getDuration().toNanos() != 0) {
			i--;
		}
		return units[i].print(window);
	}

}
