package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.Threads;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.WaitingRoom;
import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * However many ask two policies at once, on one server or on a cluster's: neither gives
 * more than it has, and nothing is lost where the other rejects.
 */
class MultiPolicyDecisionSharingTests {

	private static final int THREADS = 32;

	private static final int ASKED = 20;

	private static final RateLimitPolicy WIDE = policy("wide", 1000);

	private static final RateLimitPolicy NARROW = policy("narrow", 300);

	@AutoClose
	private static TestRedis redis;

	private static TestCluster cluster;

	@BeforeAll
	static void start() {
		redis = TestRedis.start();
		cluster = TestCluster.shared();
	}

	private static RateLimitPolicy policy(String name, long limit) {
		return RateLimitPolicy.of(name,
				TestPolicies.limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, Duration.ofDays(20)));
	}

	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void onOneServer(ClientKind client) {
		redis.call("FLUSHALL");
		try (TestStore store = new TestStore(client.standalone(redis.port()), TestStore.FORGETFUL,
				FailureMode.REJECT)) {
			ask(store, "key");
		}
	}

	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void onACluster(ClientKind client) {
		try (TestStore store = new TestStore(client.cluster(cluster.nodes()), TestStore.FORGETFUL,
				FailureMode.REJECT)) {
			ask(store, client.name());
		}
	}

	private static void ask(TestStore store, String key) {
		RateLimiterRegistry limiter = store.limiter();
		List<PermitRequest> requests = List.of(PermitRequest.of(limiter.register(WIDE), key, 1),
				PermitRequest.of(limiter.register(NARROW), key, 1));
		List<Integer> taken = Threads.run(THREADS, (number) -> {
			int own = 0;
			for (int i = 0; i < ASKED; i++) {
				Acquisition ledger = new Acquisition(new WaitingRoom(store.clock(), 9));
				own += ledger.take(requests) ? 1 : 0;
				assertThat(ledger.entries()).noneMatch((entry) -> entry.decision().fallback());
			}
			return own;
		});
		assertThat(taken.stream().mapToInt(Integer::intValue).sum()).isEqualTo(300);
		TestRedis.await(() -> requests.get(0).limiter().peek(key).remaining() == 700);
		assertThat(requests.get(1).limiter().peek(key).remaining()).isZero();
	}

	@Test
	void aServerThatHangsTakesOnlyItsOwnPoliciesAlong() {
		String key = keyOfServers(0, 1);
		try (TestStore store = new TestStore(ClientKind.LETTUCE.cluster(cluster.nodes()), TestStore.IMPATIENT,
				FailureMode.LOCAL)) {
			RateLimiterRegistry limiter = store.limiter();
			List<PermitRequest> requests = List.of(PermitRequest.of(limiter.register(WIDE), key, 1),
					PermitRequest.of(limiter.register(NARROW), key, 1));
			TestRedis.await(() -> {
				store.clock().advance(Duration.ofSeconds(1));
				return fallbacks(store, requests).equals(List.of(false, false));
			});
			cluster.nodes().get(1).freeze();
			TestRedis.await(() -> fallbacks(store, requests).equals(List.of(false, true)));
			for (int i = 0; i < 50; i++) {
				assertThat(fallbacks(store, requests)).containsExactly(false, true);
			}
			assertThat(store.availability().failure()).startsWith("127.0.0.1:" + cluster.nodes().get(1).port() + ": ");
			cluster.nodes().get(1).thaw();
			TestRedis.await(() -> {
				store.clock().advance(Duration.ofSeconds(1));
				return fallbacks(store, requests).equals(List.of(false, false));
			});
		}
	}

	private static String keyOfServers(int wide, int narrow) {
		for (int i = 0;; i++) {
			String key = "key" + i;
			if (owner("wide", key) == wide && owner("narrow", key) == narrow) {
				return key;
			}
		}
	}

	private static int owner(String policy, String key) {
		return TestCluster.owner(SlotHash.getSlot(new RedisKeys("test", policy).of(key)[0]));
	}

	private static List<Boolean> fallbacks(TestStore store, List<PermitRequest> requests) {
		Acquisition ledger = new Acquisition(new WaitingRoom(store.clock(), 9));
		assertThat(ledger.take(requests)).isTrue();
		return ledger.entries().stream().map(AcquisitionEntry::decision).map(RateLimitDecision::fallback).toList();
	}

}
