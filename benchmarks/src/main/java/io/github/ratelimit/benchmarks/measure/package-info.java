/**
 * What suites have in common: what they measure, how long, and how it is to be read.
 */
@NullMarked
package io.github.ratelimit.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
