package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.PolicyDecider;
import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The servers of a cluster change their roles and places, with the clients' default
 * settings: limits are shared again soon after, on all of them.
 */
@Tag("faults")
@ParameterizedClass
@EnumSource(ClientKind.class)
class RedisClusterFailoverTests {

	private static final int KEYS = 30;

	private static final Duration SOON = Duration.ofSeconds(10);

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("policy",
			TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, 1_000_000, Duration.ofDays(20)));

	@Parameter
	private ClientKind client;

	private final TestCluster cluster = TestCluster.withReplicas();

	private TestStore store;

	private PolicyDecider states;

	@BeforeEach
	void open() {
		this.store = new TestStore(this.client.cluster(this.cluster.nodes()), TestStore.IMPATIENT, FailureMode.LOCAL);
		this.states = this.store.open(POLICY);
		TestRedis.await(() -> fallbacks() == 0);
	}

	@AfterEach
	void stop() {
		this.store.close();
		this.cluster.close();
	}

	private long fallbacks() {
		this.store.clock().advance(TestStore.IMPATIENT.retryInterval());
		return IntStream.range(0, KEYS).filter((number) -> decide("key" + number).fallback()).count();
	}

	private RateLimitDecision decide(String key) {
		long begin = RunningTime.nanos();
		RateLimitDecision decision = this.states.decide(key, 1);
		assertThat(RunningTime.since(begin)).isLessThan(TestStore.IMPATIENT.timeout().plusSeconds(1));
		return decision;
	}

	private void awaitRecovery(TestRedis promoted) {
		TestRedis.await(() -> {
			fallbacks();
			return isMaster(promoted);
		});
		long begin = RunningTime.nanos();
		TestRedis.await(() -> fallbacks() == 0);
		assertThat(RunningTime.since(begin)).isLessThan(SOON);
		long outages = this.store.availability().outages();
		assertThat(IntStream.range(0, 10).mapToLong((round) -> fallbacks()).sum()).isZero();
		assertThat(this.store.availability().isAvailable()).isTrue();
		assertThat(this.store.availability().outages()).isEqualTo(outages);
	}

	private boolean isMaster(TestRedis promoted) {
		return promoted.info("replication", "role").equals("master") && this.cluster.nodes()
			.get(1)
			.call("CLUSTER", "NODES")
			.lines()
			.anyMatch((line) -> line.startsWith(TestCluster.id(promoted)) && line.contains("master")
					&& line.split(" ").length > 8);
	}

	@Test
	void aMasterThatIsReplacedAtAnotherAddress() {
		TestRedis master = this.cluster.nodes().get(0);
		TestRedis successor = this.cluster.join();
		TestCluster.replicate(successor, master);
		successor.call("CLUSTER", "FAILOVER", "TAKEOVER");
		TestRedis.await(() -> isMaster(successor));
		master.kill();
		this.cluster.replica(0).kill();
		awaitRecovery(successor);
	}

	@Test
	void aClusterThatGrows() {
		TestRedis other = this.cluster.join();
		String id = TestCluster.id(other);
		this.cluster.nodes().forEach((node) -> node.call("FLUSHALL"));
		for (int i = 0; i < KEYS / 2; i++) {
			int slot = SlotHash.getSlot(new RedisKeys("test", "policy").of("key" + i)[0]);
			assertThat(other.call("CLUSTER", "SETSLOT", "" + slot, "NODE", id)).startsWith("+OK");
			other.call("CLUSTER", "BUMPEPOCH");
			this.cluster.nodes()
				.forEach(
						(node) -> assertThat(node.call("CLUSTER", "SETSLOT", "" + slot, "NODE", id)).startsWith("+OK"));
		}
		awaitRecovery(other);
		assertThat(other.keys()).hasSize(KEYS / 2);
	}

}
