package io.github.ratelimit;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What an operator decides by hand, whatever the limits say: that a key is banned for a
 * while, that a key or an address is exempt, or that it is denied.
 *
 * @param target what it is about
 * @param duration how long it is in force, or {@code null} until it is removed; never
 * {@code null} of a ban
 * @param reason why, for people to read, or {@code null}
 * @param who who asked for it, for people to read, or {@code null}
 * @since 0.1.0
 * @see RateLimiterRegistry#interventions()
 */
public record RateLimitIntervention(Target target, @Nullable Duration duration, @Nullable String reason,
		@Nullable String who) {

	private static final int MAX_TEXT_LENGTH = 500;

	/**
	 * Creates an intervention.
	 * @throws InvalidRateLimitException if a ban has no duration, or if the duration or a
	 * text is out of its range
	 */
	public RateLimitIntervention {
		if (duration != null) {
			RateLimitOverride.checkDuration(duration, "Use 1ms to 366d.");
		}
		else if (target.kind() == Kind.BAN) {
			throw new InvalidRateLimitException("for", "none", "is no end, and a ban has one",
					"Say how long the key is banned, such as 2h, up to 366d. To keep it out for good, deny it.");
		}
		RateLimitOverride.checkLength("reason", reason, 0, MAX_TEXT_LENGTH);
		RateLimitOverride.checkLength("who", who, 0, MAX_TEXT_LENGTH);
	}

	/**
	 * Bans a key of a policy.
	 * @param policy the policy's name
	 * @param key the key as requests have it
	 * @param duration how long, from a millisecond to 366 days
	 * @param reason why, for people to read, or {@code null}
	 * @return the ban
	 * @throws InvalidRateLimitException if the key, the duration or the reason is out of
	 * its range
	 */
	public static RateLimitIntervention ban(String policy, String key, Duration duration, @Nullable String reason) {
		return new RateLimitIntervention(Target.ofKey(Kind.BAN, policy, key), duration, reason, null);
	}

	/**
	 * What operators decide. Of what they have decided about one client, the first of
	 * these counts.
	 */
	public enum Kind {

		/** Its requests are answered with a 403. */
		DENY,

		/** It passes, and is not counted. */
		EXEMPT,

		/** It is rejected as if its policy had banned it. */
		BAN

	}

	/**
	 * What an intervention is about: a key of a policy, or the address of clients,
	 * whatever they ask for.
	 *
	 * @param kind what is decided
	 * @param policy the policy's name, or {@code null} of an address
	 * @param key the key as requests have it, or {@code null} of an address
	 * @param address an address or a range of them, such as {@code 10.0.0.0/8}, or
	 * {@code null} of a key
	 */
	public record Target(Kind kind, @Nullable String policy, @Nullable String key, @Nullable String address) {

		/**
		 * Creates a target.
		 * @throws InvalidRateLimitException if it is neither a key of a policy nor an
		 * address, or an address that is to be banned, or if a text is empty or longer
		 * than 1024 characters
		 */
		public Target {
			InvalidRateLimitException.require((policy == null) == (key == null), "key", '"' + key + '"',
					"and the policy belong together", "Give the policy and the key, or the address alone.");
			InvalidRateLimitException.require((key == null) != (address == null), "address", '"' + address + '"',
					"stands beside a key, or neither is there", "Give either the policy and the key, or the address.");
			InvalidRateLimitException.require(kind != Kind.BAN || address == null, "address", '"' + address + '"',
					"cannot be banned", "Ban a key of a policy, or deny the address.");
			RateLimitOverride.checkLength("key", key, 1, RateLimitOverride.Target.MAX_LENGTH);
			RateLimitOverride.checkLength("address", address, 1, RateLimitOverride.Target.MAX_LENGTH);
		}

		/**
		 * Creates the target of one key of a policy.
		 * @param kind what is decided
		 * @param policy the policy's name
		 * @param key the key as requests have it
		 * @return the target
		 * @throws InvalidRateLimitException if the key is empty or longer than 1024
		 * characters
		 */
		public static Target ofKey(Kind kind, String policy, String key) {
			return new Target(kind, policy, key, null);
		}

		/**
		 * Creates the target of all requests of an address, or of a range of addresses.
		 * @param kind what is decided, which is not a ban
		 * @param address the address or the range
		 * @return the target
		 * @throws InvalidRateLimitException if it is to be banned, or is empty or longer
		 * than 1024 characters
		 */
		public static Target ofAddress(Kind kind, String address) {
			return new Target(kind, null, null, address);
		}

	}

}
