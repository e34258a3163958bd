/**
 * What other limits would have done to the traffic of a policy: observed in bounded
 * memory, whatever the number of callers.
 */
@NullMarked
package io.github.ratelimit.advice;

import org.jspecify.annotations.NullMarked;
