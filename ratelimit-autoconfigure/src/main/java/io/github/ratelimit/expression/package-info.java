/**
 * Keys, costs and conditions: parsed once, evaluated for each request.
 */
@NullMarked
package io.github.ratelimit.expression;

import org.jspecify.annotations.NullMarked;
