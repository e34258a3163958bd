package io.github.ratelimit.findings;

import org.jspecify.annotations.Nullable;

/**
 * Something that is configured and does nothing, or not what it seems.
 *
 * @param code what it is
 * @param policy the name of the policy that it concerns, or {@code null}
 * @param message what was found, in one sentence or more
 * @since 0.1.0
 */
public record RateLimitFinding(FindingCode code, @Nullable String policy, String message) {
}
