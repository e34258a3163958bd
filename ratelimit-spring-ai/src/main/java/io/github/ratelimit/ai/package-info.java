/**
 * Budgets of tokens and money for the chat models of Spring AI.
 */
@NullMarked
package io.github.ratelimit.ai;

import org.jspecify.annotations.NullMarked;
