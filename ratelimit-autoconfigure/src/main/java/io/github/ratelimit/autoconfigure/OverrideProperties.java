package io.github.ratelimit.autoconfigure;

import java.time.Duration;

import io.github.ratelimit.RateLimitMode;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Name;

/**
 * What is sent to override a policy, beside the limits.
 */
record OverrideProperties(@Nullable RateLimitMode mode, @Name("for") @Nullable Duration duration,
		@Nullable String reason) {
}
