package io.github.ratelimit.actuate;

import java.util.List;
import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitIntervention;
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
	 * @param sent the texts of what was sent, by the names that properties have, such as
	 * {@code limits[0].window}
	 * @param who who sent it, or {@code null}
	 * @return the override
	 * @throws InvalidRateLimitException if it cannot be in force; its attribute is the
	 * member that is wrong, such as {@code limits[0].window}
	 */
	RateLimitOverride read(RateLimitOverride.Target target, List<RateLimit> defined, Map<String, String> sent,
			@Nullable String who);

	/**
	 * Creates what an operator decides by hand.
	 * @param target what it is about
	 * @param sent the texts of what was sent, of which {@code for} and {@code reason} are
	 * read
	 * @param who who sent it, or {@code null}
	 * @return the intervention
	 * @throws InvalidRateLimitException if it cannot be in force; its attribute is the
	 * member that is wrong
	 */
	RateLimitIntervention readIntervention(RateLimitIntervention.Target target, Map<String, String> sent,
			@Nullable String who);

	/**
	 * Creates limits that override nothing.
	 * @param sent the texts of what was sent, by the names that properties have
	 * @return the limits
	 * @throws InvalidRateLimitException if one is invalid; its attribute is the member
	 * that is wrong
	 */
	List<RateLimit> readLimits(Map<String, String> sent);

}
