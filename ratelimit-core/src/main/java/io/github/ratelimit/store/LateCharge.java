package io.github.ratelimit.store;

import io.github.ratelimit.RateLimitDecision;

/**
 * What a key had left before and after a settlement took more than was reserved.
 *
 * @param before what a look would have found just before
 * @param after what a look would have found just after, at the same moment
 * @since 0.1.0
 * @see PolicyDecider#settle
 */
public record LateCharge(RateLimitDecision before, RateLimitDecision after) {
}
