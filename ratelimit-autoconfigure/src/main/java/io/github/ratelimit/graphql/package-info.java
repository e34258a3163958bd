/**
 * Limits for handlers of Spring for GraphQL: what they see of their request, and how they
 * are rejected.
 */
@NullMarked
package io.github.ratelimit.graphql;

import org.jspecify.annotations.NullMarked;
