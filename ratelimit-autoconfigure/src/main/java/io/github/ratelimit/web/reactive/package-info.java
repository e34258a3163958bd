/**
 * Limits of reactive web applications: filters, handlers, rejections.
 */
@NullMarked
package io.github.ratelimit.web.reactive;

import org.jspecify.annotations.NullMarked;
