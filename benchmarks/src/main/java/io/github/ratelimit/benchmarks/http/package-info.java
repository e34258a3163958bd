/**
 * What limiting a request over HTTP costs.
 */
@NullMarked
package io.github.ratelimit.benchmarks.http;

import org.jspecify.annotations.NullMarked;
