/**
 * The store for many instances: one atomic script call to Redis for each decision.
 */
@NullMarked
package io.github.ratelimit.redis;

import org.jspecify.annotations.NullMarked;
