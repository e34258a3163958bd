package io.github.ratelimit;

import java.util.Locale;

/**
 * Whether a policy's decisions have consequences.
 *
 * @since 0.1.0
 */
public enum RateLimitMode {

	/** What the policy rejects is rejected, and what it delays waits. */
	ENFORCE,

	/**
	 * The policy decides, counts, notifies listeners and tells the client, and lets pass
	 * what it would reject. That takes nothing and never waits, and code can ask whether
	 * it has happened: {@link RateLimitInfo}.
	 */
	INFORM,

	/**
	 * The policy decides, counts and notifies listeners, and nothing else: it rejects no
	 * request, delays none, and no response shows it.
	 */
	SHADOW;

	/**
	 * The mode as a tag of a metric.
	 * @return the name in lower case
	 */
	public String id() {
		return name().toLowerCase(Locale.ROOT);
	}

}
