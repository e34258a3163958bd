package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.Threads;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server learns a policy's scripts from the calls that need them, once each.
 */
class ScriptLoadingTests {

	private static final int CALLERS = 50;

	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void whoFindsAServerWithoutTheScriptsTakesOnce(ClientKind client) {
		try (TestRedis redis = TestRedis.start();
				TestStore store = new TestStore(client.standalone(redis.port()), TestStore.PATIENT,
						FailureMode.LOCAL)) {
			PolicyDecider[] states = IntStream.range(0, 20)
				.mapToObj((number) -> store.open(RateLimitPolicy.of("policy" + number,
						TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, 10_000, Duration.ofDays(20)))))
				.toArray(PolicyDecider[]::new);
			for (int round = 1; round <= 5; round++) {
				redis.call("SCRIPT", "FLUSH");
				redis.call("CONFIG", "RESETSTAT");
				Threads.run(CALLERS, (number) -> {
					for (PolicyDecider each : states) {
						assertThat(each.decide("key", 1).fallback()).isFalse();
					}
					return null;
				});
				for (PolicyDecider each : states) {
					assertThat(each.decide("key", 0).remaining()).isEqualTo(10_000 - CALLERS * round);
				}
				assertThat(redis.info("commandstats", "cmdstat_script")).isEmpty();
				assertThat(calls(redis, "eval")).isBetween(1L, (long) CALLERS);
				assertThat(redis.info("memory", "number_of_cached_scripts")).isEqualTo("1");
			}
			RateLimitDecision given = states[0].decide("key", 1);
			states[0].refund("key", 1, given);
			assertThat(redis.info("memory", "number_of_cached_scripts")).isEqualTo("2");
		}
	}

	private static long calls(TestRedis redis, String command) {
		String statistics = redis.info("commandstats", "cmdstat_" + command);
		return Long.parseLong(statistics.substring("calls=".length(), statistics.indexOf(',')));
	}

}
