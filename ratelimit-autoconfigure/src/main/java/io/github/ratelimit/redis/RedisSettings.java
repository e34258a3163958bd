package io.github.ratelimit.redis;

import java.time.Duration;

import io.github.ratelimit.remote.ResilienceSettings;

/**
 * How the store uses Redis.
 *
 * @param keyPrefix what all of its keys begin with
 * @param timeout how long a decision waits for an answer
 * @param retryInterval how often a server that does not answer is asked again
 * @param rejectionMemory how long a rejection is remembered at most; zero for not at all
 * @param instances how many instances of the application share the budgets, from 1
 * @since 0.1.0
 */
public record RedisSettings(String keyPrefix, Duration timeout, Duration retryInterval, Duration rejectionMemory,
		int instances) {

	ResilienceSettings resilience() {
		return new ResilienceSettings(this.timeout, this.retryInterval, this.rejectionMemory, this.instances);
	}

}
