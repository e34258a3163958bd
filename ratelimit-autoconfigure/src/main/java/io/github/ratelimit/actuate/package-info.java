/**
 * What the actuator endpoint and the metrics tell of each policy.
 */
@NullMarked
package io.github.ratelimit.actuate;

import org.jspecify.annotations.NullMarked;
