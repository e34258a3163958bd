package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.Threads;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Connections are reset while many ask, again and again, as by a load balancer or a proxy
 * that restarts.
 */
class RedisConnectionResetTests {

	private static final int CALLERS = 100;

	private static final int RESETS = 20;

	/* Who is not answered by a server is so many times faster. */
	private static final long FALLBACK_PAUSE_NANOS = 1_000_000;

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("policy",
			TestPolicies.limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 10, Duration.ofDays(20)));

	/*
	 * Each thread asks for keys of its own. What was asked without an answer may have
	 * been taken, but only once.
	 */
	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void everybodyIsAnsweredAndNothingIsTakenTwice(ClientKind client) {
		try (TestRedis redis = TestRedis.start();
				TestStore store = new TestStore(client.standalone(redis.port()), TestStore.PATIENT,
						FailureMode.LOCAL)) {
			everybodyIsAnsweredAndNothingIsTakenTwice(store, List.of(redis));
		}
	}

	/*
	 * Jedis itself asks a cluster again after a reset, up to as often as its application
	 * allows.
	 */
	@Test
	void everybodyIsAnsweredAndNothingIsTakenTwiceOnACluster() {
		TestCluster cluster = TestCluster.shared();
		try (TestStore store = new TestStore(ClientKind.LETTUCE.cluster(cluster.nodes()), TestStore.PATIENT,
				FailureMode.LOCAL)) {
			everybodyIsAnsweredAndNothingIsTakenTwice(store, cluster.nodes());
		}
	}

	private static void everybodyIsAnsweredAndNothingIsTakenTwice(TestStore store, List<TestRedis> servers) {
		PolicyDecider states = store.open(POLICY);
		store.awaitRecovery(states);
		AtomicInteger asked = new AtomicInteger();
		AtomicInteger resets = new AtomicInteger();
		Queue<String> unanswered = new ConcurrentLinkedQueue<>();
		Threads.run(CALLERS + 1, (number) -> {
			if (number == 0) {
				reset(servers, store, asked, resets);
			}
			while (resets.get() < RESETS) {
				String key = "key" + asked.incrementAndGet();
				RateLimitDecision decision = states.decide(key, 1);
				assertThat(decision.remaining()).isEqualTo(9);
				if (decision.fallback()) {
					unanswered.add(key);
					LockSupport.parkNanos(FALLBACK_PAUSE_NANOS);
				}
			}
			return null;
		});
		store.awaitRecovery(states);
		assertThat(unanswered).isNotEmpty()
			.allSatisfy((key) -> assertThat(states.decide(key, 0).remaining()).isBetween(9L, 10L));
	}

	/*
	 * In the midst of requests that the server has read and not yet answered.
	 */
	private static void reset(List<TestRedis> servers, TestStore store, AtomicInteger asked, AtomicInteger resets) {
		while (resets.get() < RESETS) {
			int seen = asked.get();
			TestRedis.await(() -> {
				store.clock().advance(TestStore.PATIENT.retryInterval());
				return asked.get() > seen + CALLERS;
			});
			servers.forEach((server) -> server.call("CLIENT", "KILL", "TYPE", "normal"));
			resets.incrementAndGet();
		}
	}

}
