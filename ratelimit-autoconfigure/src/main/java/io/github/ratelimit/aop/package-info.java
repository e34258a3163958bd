/**
 * Enforcement around annotated methods of any bean.
 */
@NullMarked
package io.github.ratelimit.aop;

import org.jspecify.annotations.NullMarked;
