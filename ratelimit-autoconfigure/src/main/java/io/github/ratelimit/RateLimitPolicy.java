package io.github.ratelimit;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A name, a key, and one or more limits that are decided together: all agree, or nothing
 * is taken.
 *
 * @param name what the policy is called in headers, metrics and the endpoint: printable
 * ASCII, at most 128 characters, without slashes, backslashes, semicolons and percent
 * signs, and neither {@code .} nor {@code ..}
 * @param key the expression that says who is being limited, or {@code null} for the
 * application's default
 * @param limits the limits, at least one
 */
public record RateLimitPolicy(String name, @Nullable String key, List<RateLimit> limits) {

	private static final int LONGEST_NAME = 128;

	/* Servers and Spring Security reject paths with these, however they are encoded. */
	private static final String UNREACHABLE = "/\\;%";

	/**
	 * Creates a policy.
	 * @throws InvalidRateLimitException if the name, the key or the number of limits
	 * cannot be
	 */
	public RateLimitPolicy {
		if (!isName(name)) {
			throw new InvalidRateLimitException("name", '"' + name + '"',
					"cannot name a policy, because it is sent in headers and asked for in the path of the endpoint",
					"Use 1 to " + LONGEST_NAME + " printable ASCII characters, such as login, other than / \\ ; and %, "
							+ "and not . or .. alone.");
		}
		if (key != null && key.isBlank()) {
			throw new InvalidRateLimitException("key", '"' + key + '"', "is blank",
					"Remove it for the default key, or write an expression such as clientAddress.");
		}
		limits = List.copyOf(limits);
		if (limits.isEmpty()) {
			throw new InvalidRateLimitException("limits", limits, "has no entry, so that the policy would do nothing",
					"Give the policy '" + name + "' at least one limit.");
		}
	}

	/**
	 * Creates a policy with the default key.
	 * @param name the policy's name
	 * @param limits its limits
	 * @return the policy
	 * @throws InvalidRateLimitException if the name or the number of limits cannot be
	 */
	public static RateLimitPolicy of(String name, RateLimit... limits) {
		return new RateLimitPolicy(name, null, List.of(limits));
	}

	/**
	 * Whether a text can name a policy.
	 * @param name the text
	 * @return {@code true} if a policy can have that name
	 */
	public static boolean isName(String name) {
		return !name.isBlank() && name.length() <= LONGEST_NAME && !name.equals(".") && !name.equals("..")
				&& name.chars().allMatch((c) -> c >= ' ' && c <= '~' && UNREACHABLE.indexOf(c) < 0);
	}

	/**
	 * The most permits that can pass in one instant. A request of more can never pass.
	 * @return the smallest of the limits' capacities
	 */
	public long capacity() {
		return this.limits.stream().mapToLong(RateLimit::capacity).min().orElseThrow();
	}

	/**
	 * Whether an allowed request may have to wait first.
	 * @return {@code true} if one of the limits delays
	 */
	public boolean delays() {
		return this.limits.stream().anyMatch(RateLimit::delays);
	}

	/**
	 * The longest that an allowed request may have to wait.
	 * @return the longest of the limits' delays
	 */
	public Duration longestDelay() {
		return this.limits.stream().map(RateLimit::longestDelay).max(Comparator.naturalOrder()).orElseThrow();
	}

}
