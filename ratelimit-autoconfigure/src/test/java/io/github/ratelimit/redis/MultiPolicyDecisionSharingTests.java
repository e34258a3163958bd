package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.Threads;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
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
				Acquisition ledger = new Acquisition(store.clock(), null);
				own += ledger.take(requests) ? 1 : 0;
				assertThat(ledger.entries()).noneMatch((entry) -> entry.decision().fallback());
			}
			return own;
		});
		assertThat(taken.stream().mapToInt(Integer::intValue).sum()).isEqualTo(300);
		TestRedis.await(() -> requests.get(0).limiter().peek(key).remaining() == 700);
		assertThat(requests.get(1).limiter().peek(key).remaining()).isZero();
	}

}
