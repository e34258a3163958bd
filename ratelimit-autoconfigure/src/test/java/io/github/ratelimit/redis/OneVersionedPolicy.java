package io.github.ratelimit.redis;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.store.PolicyDecider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of one policy that decides on the same keys under several limits, as plans and
 * overrides make it.
 */
abstract class OneVersionedPolicy extends OneVirtualServer {

	static final Duration MINUTE = Duration.ofMinutes(1);

	static final Duration HOUR = Duration.ofHours(1);

	static RateLimit limit(RateLimitAlgorithm algorithm, long capacity, Duration window) {
		return TestPolicies.limit(algorithm, capacity, window);
	}

	static RateLimitPolicy policy(RateLimit... limits) {
		return RateLimitPolicy.of("policy", limits);
	}

	static PolicyDecider open(RateLimit... limits) {
		return server.open(policy(limits));
	}

	static PolicyDecider under(PolicyDecider states, RateLimit... limits) {
		PolicyDecider changed = states.under(policy(limits));
		assertThat(changed).isNotNull();
		return changed;
	}

}
