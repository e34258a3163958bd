/**
 * What handlers of STOMP messages see of their message, and how a rejection is told.
 */
@NullMarked
package io.github.ratelimit.messaging;

import org.jspecify.annotations.NullMarked;
