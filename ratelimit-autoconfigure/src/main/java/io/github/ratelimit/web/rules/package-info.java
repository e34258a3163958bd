/**
 * Finds which rules apply to a request, by its method and by all that its path may be
 * read as.
 */
@NullMarked
package io.github.ratelimit.web.rules;

import org.jspecify.annotations.NullMarked;
