package io.github.ratelimit.enforce;

/**
 * A plan of a policy.
 *
 * @param name what it is called
 * @param version decides on those who have it
 * @param of the plans that it is one of
 */
record Plan(String name, PolicyVersion version, PlanVersions of) {
}
