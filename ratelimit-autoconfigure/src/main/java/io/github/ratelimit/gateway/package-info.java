/**
 * Policies on the routes of Spring Cloud Gateway's server for WebFlux.
 */
@NullMarked
package io.github.ratelimit.gateway;

import org.jspecify.annotations.NullMarked;
