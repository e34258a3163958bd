/**
 * A gateway with a limit on a route.
 */
@NullMarked
package io.github.ratelimit.sample.gateway;

import org.jspecify.annotations.NullMarked;
