/**
 * Limits, policies and decisions, and the registry that decides. Plain Java.
 */
@NullMarked
package io.github.ratelimit;

import org.jspecify.annotations.NullMarked;
