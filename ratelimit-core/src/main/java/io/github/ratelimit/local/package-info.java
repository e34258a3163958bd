/**
 * State in this process: a bounded Caffeine cache for each policy.
 */
@NullMarked
package io.github.ratelimit.local;

import org.jspecify.annotations.NullMarked;
