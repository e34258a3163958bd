/**
 * What the web stacks have in common: client address, header fields, problem and rules.
 */
@NullMarked
package io.github.ratelimit.web;

import org.jspecify.annotations.NullMarked;
