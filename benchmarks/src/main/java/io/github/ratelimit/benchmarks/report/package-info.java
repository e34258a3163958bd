/**
 * Keeps what was measured, and writes it down for people.
 */
@NullMarked
package io.github.ratelimit.benchmarks.report;

import org.jspecify.annotations.NullMarked;
