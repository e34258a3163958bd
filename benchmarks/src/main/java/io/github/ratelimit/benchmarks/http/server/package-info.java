/**
 * The applications that answer requests, each in a process of its own.
 */
@NullMarked
package io.github.ratelimit.benchmarks.http.server;

import org.jspecify.annotations.NullMarked;
