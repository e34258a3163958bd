/**
 * The contract of stores, which keep the state of every key of every policy.
 */
@NullMarked
package io.github.ratelimit.store;

import org.jspecify.annotations.NullMarked;
