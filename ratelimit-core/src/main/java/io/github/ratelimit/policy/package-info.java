/**
 * The policies: their limiters and registry, and the numbers in force for a key, which
 * may be those of its plan or of an override.
 */
@NullMarked
package io.github.ratelimit.policy;

import org.jspecify.annotations.NullMarked;
