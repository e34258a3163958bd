/**
 * The words that everybody here shares: limits, policies, decisions, and the store that
 * keeps the state. Plain Java.
 */
@NullMarked
package io.github.ratelimit;

import org.jspecify.annotations.NullMarked;
