package io.github.ratelimit.redis;

import io.github.ratelimit.store.PolicyDecider;

/**
 * What callers ask while something goes wrong.
 *
 * @param decider decides for a policy, in any store
 * @param key the key to decide on
 * @param limit how many permits there are in all, for longer than a test takes
 * @param group what shares its fate, such as the keys of one node
 */
record FaultQuestion(PolicyDecider decider, String key, long limit, int group) {
}
