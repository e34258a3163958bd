package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimitMode;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * What is sent to override a policy.
 */
record OverrideProperties(@DefaultValue List<RateLimitProperties.Limit> limits, @Nullable RateLimitMode mode,
		@Name("for") @Nullable Duration duration, @Nullable String reason) {
}
