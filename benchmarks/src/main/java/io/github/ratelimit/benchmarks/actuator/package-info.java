/**
 * Measures what the actuator adds: the page, the advisor, and the endpoint's answers.
 */
@NullMarked
package io.github.ratelimit.benchmarks.actuator;

import org.jspecify.annotations.NullMarked;
