package io.github.ratelimit.redis;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lettuce.core.cluster.SlotHash;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A cluster of three masters with a replica each, which finds after a second that one is
 * gone, and in which the others serve their keys meanwhile.
 */
final class SixNodeCluster implements AutoCloseable {

	static final int MASTERS = 3;

	private final List<TestRedis> nodes = Stream.generate(TestRedis::clusterNode).limit(2 * MASTERS).toList();

	SixNodeCluster() {
		for (int i = 0; i < this.nodes.size(); i++) {
			TestRedis node = this.nodes.get(i);
			node.call("CONFIG", "SET", "cluster-node-timeout", "1000");
			node.call("CONFIG", "SET", "cluster-require-full-coverage", "no");
			node.call("CLUSTER", "SET-CONFIG-EPOCH", "" + (i + 1));
			node.call("CLUSTER", "MEET", "127.0.0.1", "" + this.nodes.get(0).port());
			if (i < MASTERS) {
				node.call(addSlots(i));
			}
		}
		awaitAll((node) -> node.call("CLUSTER", "INFO").contains("cluster_known_nodes:" + this.nodes.size()));
		for (int i = 0; i < MASTERS; i++) {
			String id = TestCluster.id(master(i));
			TestRedis replica = replica(i);
			TestRedis.await(() -> replica.call("CLUSTER", "REPLICATE", id).startsWith("+OK"));
		}
		for (int i = 0; i < MASTERS; i++) {
			TestRedis replica = replica(i);
			TestRedis.await(() -> replica.info("replication", "master_link_status").equals("up"));
		}
		awaitAll((node) -> node.call("CLUSTER", "INFO").contains("cluster_state:ok")
				&& node.call("CLUSTER", "NODES").split(" slave |,slave ", -1).length == MASTERS + 1);
	}

	private static String[] addSlots(int master) {
		return Stream
			.concat(Stream.of("CLUSTER", "ADDSLOTS"),
					IntStream.range(0, SlotHash.SLOT_COUNT)
						.filter((slot) -> owner(slot) == master)
						.mapToObj(Integer::toString))
			.toArray(String[]::new);
	}

	private void awaitAll(Predicate<TestRedis> condition) {
		this.nodes.forEach((node) -> TestRedis.await(() -> condition.test(node)));
	}

	List<TestRedis> nodes() {
		return this.nodes;
	}

	TestRedis master(int number) {
		return this.nodes.get(number);
	}

	TestRedis replica(int number) {
		return this.nodes.get(MASTERS + number);
	}

	/**
	 * Waits until a replica has taken its master's place, and the others know it.
	 */
	void awaitPromoted(int number) {
		TestRedis replica = replica(number);
		TestRedis.await(() -> replica.info("replication", "role").equals("master"));
		TestRedis another = master((number + 1) % MASTERS);
		String id = TestCluster.id(replica);
		TestRedis.await(() -> another.call("CLUSTER", "NODES")
			.lines()
			.anyMatch((line) -> line.startsWith(id) && line.contains("master")));
	}

	/**
	 * The number of the master that a slot belongs to at first.
	 */
	static int owner(int slot) {
		return slot * MASTERS / SlotHash.SLOT_COUNT;
	}

	@Override
	public void close() {
		this.nodes.forEach(TestRedis::close);
	}

}
