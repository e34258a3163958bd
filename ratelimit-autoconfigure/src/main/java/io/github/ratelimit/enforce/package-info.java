/**
 * One request's limits, the same for every way in: what to ask of each policy, all or
 * nothing, and how long to wait.
 */
@NullMarked
package io.github.ratelimit.enforce;

import org.jspecify.annotations.NullMarked;
