package io.github.ratelimit.advice;

import org.jspecify.annotations.Nullable;

/**
 * A key that is rejected often.
 *
 * @param key the key, at most 128 characters of it, or {@code null} if keys are not kept
 * @param hash its hash, as the log has it
 * @param rejected how often it was rejected, at most
 * @param error how many of these may have been rejections of other keys
 * @since 0.1.0
 */
public record RejectedKey(@Nullable String key, String hash, long rejected, long error) {
}
