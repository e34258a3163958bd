/**
 * What the starter costs an application before the first request.
 */
@NullMarked
package io.github.ratelimit.benchmarks.startup;

import org.jspecify.annotations.NullMarked;
