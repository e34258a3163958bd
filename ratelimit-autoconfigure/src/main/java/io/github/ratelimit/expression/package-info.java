/**
 * Key, cost and condition expressions, parsed once and evaluated for each request.
 */
@NullMarked
package io.github.ratelimit.expression;

import org.jspecify.annotations.NullMarked;
