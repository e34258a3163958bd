/**
 * What one request or call acquires of any number of policies, all or nothing: what it
 * has taken, owes, waits for and settles.
 */
@NullMarked
package io.github.ratelimit.request;

import org.jspecify.annotations.NullMarked;
