package io.github.ratelimit.policy;

import org.jspecify.annotations.Nullable;

/**
 * A place where a policy is applied, for display. What is {@code null} is as the policy
 * says.
 *
 * @param place a rule or a method, in a few words
 * @param key the key in place of the policy's, or {@code null}
 * @param cost the cost, or {@code null} for one permit
 * @param condition the condition, or {@code null} if the policy always applies
 * @param charge the charge in place of the policy's, or {@code null}
 * @since 0.1.0
 */
public record AppliedPlace(String place, @Nullable String key, @Nullable String cost, @Nullable String condition,
		@Nullable String charge) implements Comparable<AppliedPlace> {

	/**
	 * Describes a place where nothing is known to differ from the policy.
	 * @param place a rule or a method, in a few words
	 */
	public AppliedPlace(String place) {
		this(place, null, null, null, null);
	}

	@Override
	public int compareTo(AppliedPlace other) {
		return toString().compareTo(other.toString());
	}

}
