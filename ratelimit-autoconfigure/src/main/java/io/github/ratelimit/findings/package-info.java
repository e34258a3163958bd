/**
 * Findings: what is configured and does nothing, or not what it seems.
 */
@NullMarked
package io.github.ratelimit.findings;

import org.jspecify.annotations.NullMarked;
