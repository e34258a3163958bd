/**
 * What one decision costs in this process.
 */
@NullMarked
package io.github.ratelimit.benchmarks.decision;

import org.jspecify.annotations.NullMarked;
