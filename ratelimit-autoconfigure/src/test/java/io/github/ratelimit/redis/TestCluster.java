package io.github.ratelimit.redis;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lettuce.core.cluster.SlotHash;

/**
 * A cluster of three masters, each with a third of the hash slots.
 */
final class TestCluster implements AutoCloseable {

	private final List<TestRedis> nodes = Stream.generate(TestRedis::clusterNode).limit(3).toList();

	TestCluster() {
		for (int i = 0; i < this.nodes.size(); i++) {
			int number = i;
			TestRedis node = this.nodes.get(i);
			node.call("CLUSTER", "SET-CONFIG-EPOCH", "" + (i + 1));
			Stream<String> slots = IntStream.range(0, SlotHash.SLOT_COUNT)
				.filter((slot) -> owner(slot) == number)
				.mapToObj(Integer::toString);
			node.call(Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), slots).toArray(String[]::new));
			node.call("CLUSTER", "MEET", "127.0.0.1", "" + this.nodes.get(0).port());
		}
		this.nodes.forEach((node) -> TestRedis.await(() -> node.call("CLUSTER", "INFO").contains("cluster_state:ok")
				&& node.call("CLUSTER", "INFO").contains("cluster_known_nodes:3")));
	}

	List<TestRedis> nodes() {
		return this.nodes;
	}

	/**
	 * The number of the node that a slot belongs to at first.
	 */
	static int owner(int slot) {
		return slot % 3;
	}

	static String id(TestRedis node) {
		return node.call("CLUSTER", "MYID").lines().skip(1).findFirst().orElseThrow();
	}

	@Override
	public void close() {
		this.nodes.forEach(TestRedis::close);
	}

}
