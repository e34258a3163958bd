/**
 * What the five algorithms make of the same traffic, as a picture.
 */
@NullMarked
package io.github.ratelimit.benchmarks.picture;

import org.jspecify.annotations.NullMarked;
