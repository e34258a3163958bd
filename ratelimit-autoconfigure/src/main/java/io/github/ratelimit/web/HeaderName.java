package io.github.ratelimit.web;

import java.util.Collection;

import org.jspecify.annotations.Nullable;

/**
 * The names of the header fields that are sent.
 *
 * @since 0.1.0
 */
public enum HeaderName {

	/** The quotas of all policies, as the IETF draft writes them. */
	RATE_LIMIT_POLICY("RateLimit-Policy", HeaderFamily.RATE_LIMIT),

	/** The rest of these quotas, as the IETF draft writes it. */
	RATE_LIMIT("RateLimit", HeaderFamily.RATE_LIMIT),

	/** The number of permits that the tightest limit has when none has been taken. */
	X_RATE_LIMIT_LIMIT("X-RateLimit-Limit", HeaderFamily.X_RATE_LIMIT),

	/** The number of permits that are left of the tightest limit. */
	X_RATE_LIMIT_REMAINING("X-RateLimit-Remaining", HeaderFamily.X_RATE_LIMIT),

	/** The time at which it has all its permits again. */
	X_RATE_LIMIT_RESET("X-RateLimit-Reset", HeaderFamily.X_RATE_LIMIT),

	/** The seconds until it is worth coming back, as HTTP has it. */
	RETRY_AFTER("Retry-After", null),

	/** The same, under the name that some clients look for. */
	X_RATE_LIMIT_RETRY_AFTER("X-RateLimit-Retry-After", HeaderFamily.X_RATE_LIMIT);

	private final String text;

	private final @Nullable HeaderFamily family;

	HeaderName(String text, @Nullable HeaderFamily family) {
		this.text = text;
		this.family = family;
	}

	/**
	 * Whether the field is sent, where it has something to say.
	 * @param families the families that are sent
	 * @return {@code true} for the fields of these, and for {@code Retry-After}
	 */
	public boolean isSentWith(Collection<HeaderFamily> families) {
		return this.family == null || families.contains(this.family);
	}

	/**
	 * Whether every server on a request's way may add to the field.
	 * @return {@code true} for a list of named items
	 */
	public boolean isList() {
		return this == RATE_LIMIT_POLICY || this == RATE_LIMIT;
	}

	/**
	 * Whether only rejected clients get the field.
	 * @return {@code true} if it says when to come back
	 */
	public boolean isRetry() {
		return this == RETRY_AFTER || this == X_RATE_LIMIT_RETRY_AFTER;
	}

	/**
	 * The name as text.
	 * @return such as {@code Retry-After}
	 */
	public String text() {
		return this.text;
	}

}
