/**
 * What limits would make of given traffic, computed by the store of this process on a
 * clock of its own.
 */
@NullMarked
package io.github.ratelimit.simulation;

import org.jspecify.annotations.NullMarked;
