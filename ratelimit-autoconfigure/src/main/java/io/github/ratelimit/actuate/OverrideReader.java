package io.github.ratelimit.actuate;

import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitOverride;
import org.jspecify.annotations.Nullable;

/**
 * Creates overrides and limits from texts, as those of configuration files are created.
 *
 * @since 0.1.0
 */
public interface OverrideReader {

	/**
	 * Creates an override.
	 * @param target what is overridden
	 * @param defined the limits that are overridden, which have what the sent ones leave
	 * out
	 * @param sent what was sent
	 * @param who who sent it, or {@code null}
	 * @return the override
	 * @throws InvalidRateLimitException if it cannot be in force; its attribute is the
	 * member that is wrong, such as {@code limits[0].window}
	 */
	RateLimitOverride read(RateLimitOverride.Target target, List<RateLimit> defined, SentOverride sent,
			@Nullable String who);

	/**
	 * Creates limits that override nothing.
	 * @param sent what was sent
	 * @return the limits
	 * @throws InvalidRateLimitException if one is invalid; its attribute is the member
	 * that is wrong
	 */
	List<RateLimit> readLimits(SentOverride sent);

	/**
	 * An override as it was sent. Members that were left out are {@code null}.
	 *
	 * @param single the limit whose numbers are written without a list
	 * @param limits the limits of the list
	 * @param mode the mode
	 * @param duration how long the override is to be in force
	 * @param reason why
	 */
	record SentOverride(SentLimit single, List<SentLimit> limits, @Nullable String mode, @Nullable String duration,
			@Nullable String reason) {
	}

	/**
	 * A limit as it was sent. Numbers that were left out are {@code null}.
	 *
	 * @param algorithm the algorithm
	 * @param limit the permits per window
	 * @param window the window
	 * @param zone the time zone whose calendar has the windows
	 * @param from the day that windows of the calendar begin with
	 * @param burst the burst
	 * @param delay the number of the burst that need not wait
	 * @param nodelay whether no request waits
	 * @param countRejected whether rejected requests count
	 */
	record SentLimit(@Nullable String algorithm, @Nullable String limit, @Nullable String window, @Nullable String zone,
			@Nullable String from, @Nullable String burst, @Nullable String delay, @Nullable String nodelay,
			@Nullable String countRejected) {
	}

}
