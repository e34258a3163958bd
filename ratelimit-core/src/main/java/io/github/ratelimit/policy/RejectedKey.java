package io.github.ratelimit.policy;

import java.time.Instant;

/**
 * A key that is rejected often.
 *
 * @param key the key, which may be a name or an address
 * @param hash its hash, as the log has it
 * @param rejected how often it was rejected, at most
 * @param error how many of these may have been rejections of other keys
 * @param first when it was rejected first, or for the first time again since other keys
 * had taken its counter
 * @param last when it was rejected last
 * @since 0.1.0
 */
public record RejectedKey(String key, String hash, long rejected, long error, Instant first, Instant last) {
}
