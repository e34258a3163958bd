package io.github.ratelimit;

import org.jspecify.annotations.Nullable;

/**
 * A change to an override or an intervention that was not made, although there is nothing
 * wrong with its numbers. Nothing has changed, unless the store has not answered: then it
 * is not known whether the change was made.
 *
 * @since 0.1.0
 */
public class RateLimitOverrideException extends RuntimeException {

	private final Reason reason;

	private final transient RateLimitOverrides.@Nullable InForce current;

	/**
	 * Creates the exception.
	 * @param reason why the change was not made
	 * @param message the reason in words, as a sentence
	 * @param current what is in force, or {@code null} if nothing is, or if it is unknown
	 * @param cause what went wrong, if anything
	 */
	public RateLimitOverrideException(Reason reason, String message, RateLimitOverrides.@Nullable InForce current,
			@Nullable Throwable cause) {
		super(message, cause);
		this.reason = reason;
		this.current = current;
	}

	/**
	 * The reason why the change was not made.
	 * @return the reason
	 */
	public Reason reason() {
		return this.reason;
	}

	/**
	 * What is in force instead.
	 * @return what is in force, or {@code null} if nothing is, or if it is unknown
	 */
	public RateLimitOverrides.@Nullable InForce current() {
		return this.current;
	}

	/**
	 * Why a change is not made.
	 */
	public enum Reason {

		/** Somebody else has changed the override meanwhile. */
		CONFLICT,

		/** There are as many overrides of keys, or interventions, as there may be. */
		FULL,

		/** The policy has no such plan. */
		UNKNOWN_PLAN,

		/**
		 * The store that all instances share has not answered. It is not known whether
		 * the change was made, which {@link RateLimitOverrides#find} and
		 * {@link RateLimitInterventions#find} tell once the store answers again.
		 */
		UNAVAILABLE

	}

}
