/**
 * Actuator endpoint, metrics and health of rate limits.
 */
@NullMarked
package io.github.ratelimit.actuate;

import org.jspecify.annotations.NullMarked;
