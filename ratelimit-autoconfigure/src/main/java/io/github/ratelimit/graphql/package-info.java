/**
 * What handlers of Spring for GraphQL see of their request, and how a rejection is told.
 */
@NullMarked
package io.github.ratelimit.graphql;

import org.jspecify.annotations.NullMarked;
