/**
 * The five algorithms: pure logic over one key's state and a moment. No threads, no
 * clock, no Spring.
 */
@NullMarked
package io.github.ratelimit.algorithm;

import org.jspecify.annotations.NullMarked;
