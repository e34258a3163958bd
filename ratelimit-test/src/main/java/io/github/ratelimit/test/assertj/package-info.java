/**
 * Assertions about decisions, and about responses as clients of rate limits see them.
 */
@NullMarked
package io.github.ratelimit.test.assertj;

import org.jspecify.annotations.NullMarked;
