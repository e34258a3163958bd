package io.github.ratelimit.redis;

import java.time.Duration;

import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One of three masters goes while 200 callers ask: the keys of the others are decided as
 * before, and its own as soon as its replica has taken its place.
 */
@Tag("faults")
@ParameterizedClass
@EnumSource(ClientKind.class)
class RedisClusterFaultTests {

	private static final int LOST = 0;

	private static final Duration TIMEOUT = Duration.ofMillis(250);

	/* From when on the keys of the others are decided as before. */
	private static final Duration APART = Duration.ofSeconds(1);

	private static final Duration BACK = Duration.ofSeconds(2);

	private static final Duration BACK_OF_JEDIS = Duration.ofSeconds(10);

	@Parameter
	private ClientKind client;

	@AutoClose
	private final TestCluster cluster = TestCluster.withReplicas();

	@BeforeParameterizedClassInvocation
	static void rehearse(ClientKind client) {
		FaultStore.rehearse(client);
	}

	@Test
	void aReplicaTakesOverByCommand() {
		TestRedis replica = this.cluster.replica(LOST);
		check("CLUSTER FAILOVER", Fault.of(() -> replica.call("CLUSTER", "FAILOVER"), this::awaitPromoted));
	}

	@Test
	void aMasterIsKilled() {
		check("killed master", Fault.losing(1, this.cluster.nodes().get(LOST)::kill, this::awaitPromoted));
	}

	@Test
	void aMasterIsFrozen() {
		checkFrozen("frozen master", Fault.losing(1, this.cluster.nodes().get(LOST)::freeze, this::awaitPromoted));
	}

	@Test
	void aMasterIsFrozenAndComesBackAsAReplica() {
		TestRedis master = this.cluster.nodes().get(LOST);
		checkFrozen("frozen and thawed master", Fault.losing(1, master::freeze, () -> {
			awaitPromoted();
			master.thaw();
		}));
	}

	/*
	 * As clusters are by themselves: once they know, none serves any key.
	 */
	@Test
	void aMasterIsKilledInAClusterThatWantsAllSlots() {
		this.cluster.nodes().forEach((node) -> node.call("CONFIG", "SET", "cluster-require-full-coverage", "yes"));
		Fault fault = Fault.losing(1, this.cluster.nodes().get(LOST)::kill, this::awaitPromoted);
		checkAll("killed master of a whole cluster", fault, (this.client == ClientKind.JEDIS) ? BACK_OF_JEDIS : BACK);
	}

	@Test
	void aMasterIsReplacedAtAnotherAddress() {
		TestRedis master = this.cluster.nodes().get(LOST);
		TestRedis successor = this.cluster.join();
		TestCluster.replicate(successor, master);
		checkAll("master at another address", Fault.losing(1, () -> {
			successor.call("CLUSTER", "FAILOVER", "TAKEOVER");
			this.cluster.awaitPromoted(successor);
			master.kill();
			this.cluster.replica(LOST).kill();
		}, () -> {
		}), (this.client == ClientKind.JEDIS) ? BACK_OF_JEDIS : BACK);
	}

	private void awaitPromoted() {
		this.cluster.awaitPromoted(this.cluster.replica(LOST));
	}

	/*
	 * Jedis leaves a server that hangs only after its own time-out, of two seconds, and
	 * meanwhile may hold up those who ask others.
	 */
	private void checkFrozen(String name, Fault fault) {
		if (this.client == ClientKind.JEDIS) {
			checkAll(name, fault, BACK_OF_JEDIS);
		}
		else {
			check(name, fault);
		}
	}

	private void check(String name, Fault fault) {
		FaultReport report = checkAll(name, fault, BACK);
		report.checkDecidedByServers(APART, (question) -> question.group() != LOST);
		report.checkAsFastAsBefore(APART, (question) -> question.group() != LOST);
	}

	private FaultReport checkAll(String name, Fault fault, Duration back) {
		try (FaultStore store = new FaultStore(this.client.cluster(this.cluster.nodes()), TIMEOUT)) {
			FaultDriver driver = new FaultDriver(store.questions(3, (key) -> TestCluster.owner(SlotHash.getSlot(key))),
					TIMEOUT, System::nanoTime);
			FaultReport report = driver.run(fault, Duration.ZERO, back).log(name + " with " + this.client);
			report.checkNoException();
			report.checkDeadline();
			report.checkGiven(fault.losses().getAsInt());
			report.checkBackWithin(back);
			return report;
		}
	}

}
