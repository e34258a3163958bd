/**
 * The application whose endpoint is asked, in a process of its own.
 */
@NullMarked
package io.github.ratelimit.benchmarks.actuator.server;

import org.jspecify.annotations.NullMarked;
