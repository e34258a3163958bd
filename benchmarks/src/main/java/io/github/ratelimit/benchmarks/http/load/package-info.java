/**
 * Sends requests over connections that are kept alive, as many as the server can take.
 */
@NullMarked
package io.github.ratelimit.benchmarks.http.load;

import org.jspecify.annotations.NullMarked;
