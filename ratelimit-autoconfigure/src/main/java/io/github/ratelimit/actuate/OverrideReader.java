package io.github.ratelimit.actuate;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitOverride;
import org.jspecify.annotations.Nullable;

/**
 * Reads what is sent to override a policy, as configuration files are read.
 *
 * @since 0.1.0
 */
public interface OverrideReader {

	/** The most characters of a text, and bytes of a request's body. */
	int LONGEST = 64 * 1024;

	/**
	 * Reads an override.
	 * @param target what is overridden
	 * @param json the object that was sent
	 * @param who who sent it, or {@code null}
	 * @return the override
	 * @throws InvalidOperationException if it is none
	 */
	RateLimitOverride read(RateLimitOverride.Target target, String json, @Nullable String who);

	/**
	 * Says where a mistake is that was found after reading.
	 * @param json the object that was sent
	 * @param mistake the mistake
	 * @return the same mistake
	 */
	InvalidOperationException explain(String json, InvalidRateLimitException mistake);

	/**
	 * Creates the mistake of sending more than {@link #LONGEST}.
	 * @return the mistake
	 */
	static InvalidOperationException tooLong() {
		return new InvalidOperationException(413, "The override is longer than " + LONGEST + " bytes.",
				"Send the limits, the mode, for and the reason only.", null);
	}

}
