/**
 * Small utilities for messages, logs and threads that know nothing of rate limits.
 */
@NullMarked
package io.github.ratelimit.support;

import org.jspecify.annotations.NullMarked;
