/**
 * Auto-configuration, one class for each neighbour, and what users configure.
 */
@NullMarked
package io.github.ratelimit.autoconfigure;

import org.jspecify.annotations.NullMarked;
