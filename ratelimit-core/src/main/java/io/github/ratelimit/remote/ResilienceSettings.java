package io.github.ratelimit.remote;

import java.time.Duration;

/**
 * The settings for the use of a store that is reached over a network.
 *
 * @param timeout how long the decisions of one request wait for answers
 * @param retryInterval how often a server that does not answer is asked again
 * @param rejectionMemory how long a rejection is remembered at most; zero for not at all
 * @param instances how many instances of the application share the budgets, from 1
 * @since 0.1.0
 */
public record ResilienceSettings(Duration timeout, Duration retryInterval, Duration rejectionMemory, int instances) {
}
