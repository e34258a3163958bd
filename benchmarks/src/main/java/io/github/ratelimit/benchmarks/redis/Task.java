package io.github.ratelimit.benchmarks.redis;

import java.util.List;

/**
 * What a contender is to do.
 *
 * @param redis where
 * @param budget how much each key may have
 * @param keys who asks
 */
record Task(ServerAccess redis, Budget budget, List<String> keys) {
}
