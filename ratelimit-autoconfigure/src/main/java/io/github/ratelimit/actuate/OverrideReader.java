package io.github.ratelimit.actuate;

import java.util.List;
import java.util.function.Function;

import io.github.ratelimit.RateLimit;
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
	 * Reads an override, and says of mistakes that are found when it is used where they
	 * are.
	 * @param <T> what using it returns
	 * @param target what is overridden
	 * @param defined the limits that are overridden, which have what the object leaves
	 * out
	 * @param json the object that was sent
	 * @param who who sent it, or {@code null}
	 * @param use is given the override
	 * @return what it returns
	 * @throws InvalidOperationException if it is none, or cannot be in force
	 */
	<T> T read(RateLimitOverride.Target target, List<RateLimit> defined, String json, @Nullable String who,
			Function<RateLimitOverride, T> use);

}
