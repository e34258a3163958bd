/**
 * Measures what a decision costs when its state is in Redis.
 */
@NullMarked
package io.github.ratelimit.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
