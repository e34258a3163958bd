/**
 * Enforcement in servlet applications: filter, handlers, waiting and rejection.
 */
@NullMarked
package io.github.ratelimit.web.servlet;

import org.jspecify.annotations.NullMarked;
