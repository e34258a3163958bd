package io.github.ratelimit.actuate;

import java.util.List;
import java.util.function.Supplier;

import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import org.jspecify.annotations.Nullable;

/**
 * What the endpoint shows beside the policies.
 *
 * @param history what policies decided lately, or {@code null} if it is not kept
 * @param availability the state of a store that can be unavailable, or {@code null}
 * @param writable whether the endpoint's access permits changes
 * @param findings gives what was found until now
 * @since 0.1.0
 */
public record EndpointParts(@Nullable RateLimitHistory history, @Nullable RateLimitStoreAvailability availability,
		boolean writable, Supplier<List<RateLimitFinding>> findings) {
}
