/**
 * Everything that both web stacks need: header fields, the problem, forms and waiting.
 */
@NullMarked
package io.github.ratelimit.web;

import org.jspecify.annotations.NullMarked;
