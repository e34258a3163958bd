/**
 * Rate limits in tests with Spring's test context framework.
 */
@NullMarked
package io.github.ratelimit.test.autoconfigure;

import org.jspecify.annotations.NullMarked;
