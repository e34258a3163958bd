/**
 * Rate limits in the OpenAPI document that springdoc makes of an application.
 */
@NullMarked
package io.github.ratelimit.springdoc;

import org.jspecify.annotations.NullMarked;
