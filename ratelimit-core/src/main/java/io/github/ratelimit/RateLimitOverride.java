package io.github.ratelimit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Other numbers for a policy while the application runs: for all of its keys, for one
 * plan, or for one key. What an override leaves out is as the policy, or the plan,
 * defines it.
 *
 * @param target what is overridden
 * @param limits the limits in place of its own; empty to keep them
 * @param mode the mode in place of its own, or {@code null} to keep it
 * @param duration how long the override is in force, or {@code null} until it is removed
 * @param reason why, for people to read, or {@code null}
 * @param who who asked for it, for people to read, or {@code null}
 * @since 0.1.0
 * @see #of(String)
 * @see RateLimiterRegistry#overrides()
 */
public record RateLimitOverride(Target target, List<RateLimit> limits, @Nullable RateLimitMode mode,
		@Nullable Duration duration, @Nullable String reason, @Nullable String who) {

	private static final Duration MAX_DURATION = Duration.ofDays(366);

	private static final Duration MIN_DURATION = Duration.ofMillis(1);

	private static final int MAX_TEXT_LENGTH = 500;

	/**
	 * Creates an override.
	 * @throws InvalidRateLimitException if it changes nothing, or if its duration or a
	 * text is out of its range
	 */
	public RateLimitOverride {
		limits = List.copyOf(limits);

		InvalidRateLimitException.require(!limits.isEmpty() || mode != null, "limits", limits,
				"has no entry, and there is no mode, so that the override would change nothing",
				"Give it at least one limit, or a mode, or both.");
		if (duration != null) {
			checkDuration(duration,
					"Use 1ms to 366d, or leave it out for an override that is in force until it is removed.");
		}
		checkLength("reason", reason, 0, MAX_TEXT_LENGTH);
		checkLength("who", who, 0, MAX_TEXT_LENGTH);
	}

	static void checkDuration(Duration duration, String action) {
		boolean inRange = duration.compareTo(MIN_DURATION) >= 0 && duration.compareTo(MAX_DURATION) <= 0;
		InvalidRateLimitException.require(inRange, "for", duration, "is out of range", action);
	}

	static void checkLength(String attribute, @Nullable String text, int min, int max) {
		if (text == null || (text.length() >= min && text.length() <= max)) {
			return;
		}
		String reason = text.isEmpty() ? "is empty" : "is too long";
		throw new InvalidRateLimitException(attribute, text.length() + " characters", reason,
				"Use " + min + " to " + max + " characters.");
	}

	/**
	 * Starts to describe an override.
	 * @param policy the policy's name
	 * @return a builder that needs limits or a mode
	 */
	public static Builder of(String policy) {
		return new Builder(policy);
	}

	/**
	 * What is overridden. A key is decided on under its own override first, else under
	 * that of its plan, else under that of the policy. A key that has a plan keeps the
	 * plan's numbers and mode while only the policy is overridden.
	 *
	 * @param policy the policy's name
	 * @param plan the plan's name, or {@code null}
	 * @param key the key as requests have it, or {@code null}; never beside a plan
	 */
	public record Target(String policy, @Nullable String plan, @Nullable String key) {

		/* The value of a key expression may be written, which is hashed if it is long. */
		static final int MAX_LENGTH = 4 * RateLimiter.MAX_KEY_LENGTH;

		/**
		 * Creates a target.
		 * @throws InvalidRateLimitException if it has both a plan and a key, or if one of
		 * them is empty or longer than 1024 characters
		 */
		public Target {
			InvalidRateLimitException.require(plan == null || key == null, "key", '"' + key + '"',
					"stands beside a plan", "Override either one key or one plan.");
			checkLength("plan", plan, 1, MAX_LENGTH);
			checkLength("key", key, 1, MAX_LENGTH);
		}

	}

	/**
	 * Describes an override step by step.
	 */
	public static final class Builder {

		private final String policy;

		private final List<RateLimit> limits = new ArrayList<>();

		private @Nullable String plan;

		private @Nullable String key;

		private @Nullable RateLimitMode mode;

		private @Nullable Duration duration;

		private @Nullable String reason;

		private @Nullable String who;

		Builder(String policy) {
			this.policy = policy;
		}

		/**
		 * Overrides one plan of the policy only.
		 * @param plan the plan's name, or {@code null}
		 * @return this builder
		 */
		public Builder plan(@Nullable String plan) {
			this.plan = plan;
			return this;
		}

		/**
		 * Overrides one key of the policy only.
		 * @param key the key as requests have it, or {@code null}
		 * @return this builder
		 */
		public Builder key(@Nullable String key) {
			this.key = key;
			return this;
		}

		/**
		 * Adds a limit.
		 * @param limit the limit
		 * @return this builder
		 */
		public Builder limit(RateLimit limit) {
			this.limits.add(limit);
			return this;
		}

		/**
		 * Adds limits.
		 * @param limits the limits
		 * @return this builder
		 */
		public Builder limits(Collection<RateLimit> limits) {
			this.limits.addAll(limits);
			return this;
		}

		/**
		 * Sets the mode.
		 * @param mode the mode, or {@code null} to keep the policy's
		 * @return this builder
		 */
		public Builder mode(@Nullable RateLimitMode mode) {
			this.mode = mode;
			return this;
		}

		/**
		 * Sets how long the override is in force.
		 * @param duration from a millisecond to 366 days, or {@code null} for no end
		 * @return this builder
		 */
		public Builder duration(@Nullable Duration duration) {
			this.duration = duration;
			return this;
		}

		/**
		 * Says why.
		 * @param reason a text of at most 500 characters, or {@code null}
		 * @return this builder
		 */
		public Builder reason(@Nullable String reason) {
			this.reason = reason;
			return this;
		}

		/**
		 * Says who asked for the override.
		 * @param who a name of at most 500 characters, or {@code null}
		 * @return this builder
		 */
		public Builder who(@Nullable String who) {
			this.who = who;
			return this;
		}

		/**
		 * Builds the override.
		 * @return the override
		 * @throws InvalidRateLimitException if it changes nothing, if it has both a plan
		 * and a key, or if its duration or a text is out of its range
		 */
		public RateLimitOverride build() {
			return new RateLimitOverride(new Target(this.policy, this.plan, this.key), this.limits, this.mode,
					this.duration, this.reason, this.who);
		}

	}

}
