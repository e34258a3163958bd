/**
 * Limits for handlers of STOMP messages: what they see of their message, and how they are
 * rejected.
 */
@NullMarked
package io.github.ratelimit.messaging;

import org.jspecify.annotations.NullMarked;
