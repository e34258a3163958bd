package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.Threads;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.PolicyDecider;
import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One of three masters is gone, and every caller asks it too: the other two decide as if
 * nothing had happened.
 */
class NodeBreakerTests {

	private static final int CALLERS = 40;

	private static final RedisSettings SETTINGS = new RedisSettings("test", Duration.ofSeconds(2),
			Duration.ofSeconds(1), Duration.ofSeconds(1), 1);

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("policy",
			TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, 1_000_000, Duration.ofDays(20)));

	private static final List<List<String>> KEYS = keys();

	private static List<List<String>> keys() {
		List<List<String>> keys = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
		IntStream.range(0, 1000).mapToObj((number) -> "key" + number).forEach((key) -> {
			int slot = SlotHash.getSlot(new RedisKeys("test", "policy").of(key)[0]);
			keys.get(TestCluster.owner(slot)).add(key);
		});
		return keys;
	}

	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void aMasterThatHangs(ClientKind client) {
		theOthersGoOn(client, TestCluster.shared(), TestRedis::freeze);
	}

	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void aMasterThatIsKilled(ClientKind client) {
		try (TestCluster cluster = TestCluster.goingOn()) {
			theOthersGoOn(client, cluster, TestRedis::kill);
		}
	}

	private void theOthersGoOn(ClientKind client, TestCluster cluster, Consumer<TestRedis> fault) {
		try (TestStore store = new TestStore(client.cluster(cluster.nodes()), SETTINGS, FailureMode.LOCAL)) {
			PolicyDecider states = store.open(POLICY);
			TestRedis.await(() -> {
				store.clock().advance(SETTINGS.retryInterval());
				return KEYS.stream().noneMatch((each) -> states.decide(each.get(0), 1).fallback());
			});
			AtomicBoolean broken = new AtomicBoolean();
			Collection<Asked> asked = Collections.synchronizedList(new ArrayList<>());
			Threads.run(CALLERS + 1, (number) -> {
				if (number == 0) {
					fault.accept(cluster.nodes().get(0));
					broken.set(true);
					return null;
				}
				TestRedis.await(broken::get);
				for (int i = 0; i < 60; i++) {
					for (int node = 0; node < 3; node++) {
						asked.add(ask(states, node, KEYS.get(node).get(i)));
					}
				}
				return null;
			});
			assertThat(asked).filteredOn((each) -> each.node != 0).noneMatch((each) -> each.decision.fallback());
			assertThat(asked).filteredOn((each) -> each.node == 0).allMatch((each) -> each.decision.fallback());
			assertThat(asked).allMatch((each) -> each.time.compareTo(SETTINGS.timeout().plusSeconds(1)) < 0);
			assertThat(store.availability().isAvailable()).isFalse();
			assertThat(store.availability().outages()).isOne();
			assertThat(store.availability().failure()).startsWith("127.0.0.1:" + cluster.nodes().get(0).port() + ": ");
		}
	}

	private static Asked ask(PolicyDecider states, int node, String key) {
		long begin = RunningTime.nanos();
		RateLimitDecision decision = states.decide(key, 1);
		return new Asked(node, decision, RunningTime.since(begin));
	}

	private record Asked(int node, RateLimitDecision decision, Duration time) {
	}

}
