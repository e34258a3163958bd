package io.github.ratelimit.policy;

import org.jspecify.annotations.Nullable;

/**
 * A location at which a policy is applied, for display: a rule, a method, a route, or the
 * calls of chat models. A key or charge that is {@code null} is the policy's.
 *
 * @param location the location, in a few words
 * @param key the key in place of the policy's, or {@code null}
 * @param cost the cost, or {@code null} if none is written: one permit, or of a chat
 * model what the call may use at most
 * @param condition the condition, or {@code null} if the policy always applies
 * @param charge the charge in place of the policy's, or {@code null}
 * @param chargeEach the charge for each element in place of the policy's, or {@code null}
 * @since 0.1.0
 */
public record AppliedLocation(String location, @Nullable String key, @Nullable String cost, @Nullable String condition,
		@Nullable String charge, @Nullable String chargeEach) implements Comparable<AppliedLocation> {

	/**
	 * Describes a location that charges no elements itself.
	 * @param location the rule or method, in a few words
	 * @param key the key in place of the policy's, or {@code null}
	 * @param cost the cost, or {@code null} for one permit
	 * @param condition the condition, or {@code null} if the policy always applies
	 * @param charge the charge in place of the policy's, or {@code null}
	 */
	public AppliedLocation(String location, @Nullable String key, @Nullable String cost, @Nullable String condition,
			@Nullable String charge) {
		this(location, key, cost, condition, charge, null);
	}

	/**
	 * Describes a location at which nothing is known to differ from the policy.
	 * @param location the rule or method, in a few words
	 */
	public AppliedLocation(String location) {
		this(location, null, null, null, null);
	}

	@Override
	public int compareTo(AppliedLocation other) {
		return toString().compareTo(other.toString());
	}

}
