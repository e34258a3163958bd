/**
 * Measures what limiting costs, and writes down the ratios.
 */
@NullMarked
package io.github.ratelimit.benchmarks;

import org.jspecify.annotations.NullMarked;
