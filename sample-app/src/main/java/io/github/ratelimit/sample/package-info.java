/**
 * A small API that uses each algorithm where it is the natural choice.
 */
@NullMarked
package io.github.ratelimit.sample;

import org.jspecify.annotations.NullMarked;
