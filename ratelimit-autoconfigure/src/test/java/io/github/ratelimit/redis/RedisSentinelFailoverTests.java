package io.github.ratelimit.redis;

import java.time.Duration;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A Sentinel promotes a replica while the master is well: what the former one still takes
 * is lost, so that it is to be left at once.
 */
class RedisSentinelFailoverTests {

	private static final Duration SOON = Duration.ofSeconds(5);

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("policy",
			TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, 1_000_000, Duration.ofDays(20)));

	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void theFormerMasterIsLeftAtOnce(ClientKind client) {
		try (TestRedis master = TestRedis.start();
				TestRedis replica = TestRedis.replicaOf(master);
				TestRedis sentinel = TestRedis.sentinelOf(master);
				TestStore store = new TestStore(client.sentinel("master", sentinel.port()), TestStore.IMPATIENT,
						FailureMode.LOCAL)) {
			PolicyDecider states = store.open(POLICY);
			OutageWatch.awaitRecovery(store, states);
			// a Sentinel gives up what takes longer
			sentinel.call("SENTINEL", "SET", "master", "failover-timeout", "20000");
			TestRedis.await(() -> sentinel.call("SENTINEL", "FAILOVER", "master").startsWith("+OK"));
			TestRedis.await(
					() -> sentinel.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "master").contains("" + replica.port()));
			long promoted = RunningTime.nanos();
			TestRedis.await(() -> {
				store.clock().advance(TestStore.IMPATIENT.retryInterval());
				return !states.decide("new", 1).fallback() && replica.number("EXISTS", "test:{policy:new}") == 1;
			});
			assertThat(RunningTime.since(promoted)).isLessThan(SOON);
			long fallbacks = states.fallbacks();
			for (int i = 0; i < 100; i++) {
				states.decide("key" + i, 1);
			}
			assertThat(states.fallbacks()).isEqualTo(fallbacks);
			assertThat(replica.keys()).contains("test:{policy:key0}", "test:{policy:key99}");
		}
	}

}
