/**
 * The annotation, and what is known of the methods that carry it.
 */
@NullMarked
package io.github.ratelimit.annotation;

import org.jspecify.annotations.NullMarked;
