/**
 * What a store of states must do.
 */
@NullMarked
package io.github.ratelimit.store;

import org.jspecify.annotations.NullMarked;
