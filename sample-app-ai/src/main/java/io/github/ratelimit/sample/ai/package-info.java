/**
 * A chat model with a budget.
 */
@NullMarked
package io.github.ratelimit.sample.ai;

import org.jspecify.annotations.NullMarked;
