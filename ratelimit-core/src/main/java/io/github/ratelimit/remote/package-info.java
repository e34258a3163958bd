/**
 * Keeps a store that is reached over a network usable while the network, or the store, is
 * not: breakers, fallbacks, and a memory of earlier answers.
 */
@NullMarked
package io.github.ratelimit.remote;

import org.jspecify.annotations.NullMarked;
