package io.github.ratelimit.gateway;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.web.reactive.RateLimitRejections;

/**
 * Has what the filters of routes need to enforce policies.
 *
 * @param registry knows the policies
 * @param binder binds them to routes
 * @param rejections lets requests pass, or answers them
 */
record RoutePolicies(RateLimiterRegistry registry, PolicyBinder binder, RateLimitRejections rejections) {

}
