/**
 * Runs Java in processes of its own, with the class path that an application would have.
 */
@NullMarked
package io.github.ratelimit.benchmarks.process;

import org.jspecify.annotations.NullMarked;
