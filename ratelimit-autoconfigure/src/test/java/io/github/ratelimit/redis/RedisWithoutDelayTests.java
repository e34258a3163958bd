package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that cannot wait are decided in one call, as this process decides them.
 */
class RedisWithoutDelayTests extends OneVirtualServer {

	@Test
	void whatCannotWaitIsDecidedAsLocally() {
		try (LocalRateLimitStore local = new LocalRateLimitStore(server.clock(), 100)) {
			RandomCases.check(300, (random) -> {
				server.redis().call("FLUSHALL");
				RateLimitPolicy policy = policy(random);
				PolicyDecider here = local.open(policy);
				here.reset("key");
				checkSame(random, policy, here, server.open(policy));
			});
		}
	}

	private void checkSame(Random random, RateLimitPolicy policy, PolicyDecider here, PolicyDecider there) {
		RateLimitDecision last = here.decide("key", 0);
		for (int i = 0; i < 20; i++) {
			long permits = RandomLimits.permits(random, last, policy.capacity());
			boolean withoutDelay = random.nextInt(3) > 0;
			last = withoutDelay ? here.decideWithoutDelay("key", permits) : here.decide("key", permits);
			RateLimitDecision decision = withoutDelay ? there.decideWithoutDelay("key", permits)
					: there.decide("key", permits);
			assertThat(Decisions.describe(decision)).as("%d permits of %s", permits, policy.limits())
				.isEqualTo(Decisions.describe(last));
			assertThat(decision.queueFull()).isEqualTo(last.queueFull());
			server.clock().advanceNanos(RandomLimits.pause(random, last, policy.limits().get(0)) / 1000 * 1000);
		}
	}

	/*
	 * Limits of whole microseconds, which both count exactly.
	 */
	private static RateLimitPolicy policy(Random random) {
		List<RateLimit> limits = new ArrayList<>();
		int size = 1 + random.nextInt(3);
		for (int i = 0; i < size; i++) {
			long limit = 1 + random.nextInt(10);
			Duration window = Duration.ofNanos(1000 * limit * (1000 + random.nextInt(1_000_000)));
			RateLimit.Builder builder = RateLimit
				.builder((i == 0) ? RateLimitAlgorithm.LEAKY_BUCKET
						: RateLimitAlgorithm.values()[random.nextInt(RateLimitAlgorithm.values().length)])
				.limit(limit)
				.window(window);
			RateLimit plain = builder.build();
			limits.add(switch (plain.algorithm()) {
				case LEAKY_BUCKET -> {
					long burst = random.nextInt(20);
					yield builder.burst(burst).delay((long) random.nextInt((int) burst + 1)).build();
				}
				case SLIDING_WINDOW_LOG -> builder.countRejected(random.nextBoolean()).build();
				case SLIDING_WINDOW_COUNTER -> RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, window);
				default -> plain;
			});
		}
		return RateLimitPolicy.builder("policy").limits(limits).build();
	}

}
