/**
 * Auto-configuration, one class for each optional library, and configuration properties.
 */
@NullMarked
package io.github.ratelimit.autoconfigure;

import org.jspecify.annotations.NullMarked;
