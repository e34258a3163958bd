package io.github.ratelimit.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lettuce.core.cluster.SlotHash;

/**
 * A cluster of three masters, each with a third of the hash slots, and if need be with a
 * replica.
 */
final class TestCluster implements AutoCloseable {

	/*
	 * Servers notice within a second that one has gone, and the others go on.
	 */
	private static final String[] QUICK = { "--cluster-node-timeout", "1000", "--cluster-replica-validity-factor", "0",
			"--repl-diskless-sync-delay", "0", "--cluster-require-full-coverage", "no" };

	private static TestCluster shared;

	private final List<TestRedis> nodes;

	private final List<TestRedis> replicas;

	private final List<TestRedis> others = new ArrayList<>();

	TestCluster() {
		this(0);
	}

	private TestCluster(int replicas, String... options) {
		this.nodes = Stream.generate(() -> TestRedis.clusterNode(options)).limit(3).toList();
		this.replicas = Stream.generate(() -> TestRedis.clusterNode(options)).limit(replicas).toList();
		for (int i = 0; i < this.nodes.size(); i++) {
			int number = i;
			TestRedis node = this.nodes.get(i);
			node.call("CLUSTER", "SET-CONFIG-EPOCH", "" + (i + 1));
			Stream<String> slots = IntStream.range(0, SlotHash.SLOT_COUNT)
				.filter((slot) -> owner(slot) == number)
				.mapToObj(Integer::toString);
			node.call(Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), slots).toArray(String[]::new));
			meet(node);
		}
		this.replicas.forEach(this::meet);
		awaitAllKnown(this.nodes.size() + replicas);
		for (int i = 0; i < replicas; i++) {
			replicate(this.replicas.get(i), this.nodes.get(i));
		}
	}

	/**
	 * Starts a cluster of three masters that go on without one that has gone.
	 */
	static TestCluster goingOn() {
		return new TestCluster(0, QUICK);
	}

	/**
	 * The cluster for tests that leave it as it is, which find it empty: a server takes
	 * two seconds until it serves a cluster's keys.
	 */
	static synchronized TestCluster shared() {
		if (shared == null) {
			shared = goingOn();
			Runtime.getRuntime().addShutdownHook(new Thread(shared::close));
		}
		shared.heal();
		return shared;
	}

	/**
	 * Starts a cluster of three masters with a replica each, which is quick to take its
	 * master's place.
	 */
	static TestCluster withReplicas() {
		return new TestCluster(3, QUICK);
	}

	private void meet(TestRedis node) {
		node.call("CLUSTER", "MEET", "127.0.0.1", "" + this.nodes.get(0).port());
	}

	private void awaitAllKnown(int count) {
		Stream.concat(this.nodes.stream(), this.replicas.stream())
			.forEach((node) -> TestRedis.await(() -> node.call("CLUSTER", "INFO").contains("cluster_state:ok")
					&& node.call("CLUSTER", "INFO").contains("cluster_slots_assigned:16384")
					&& node.call("CLUSTER", "INFO").contains("cluster_known_nodes:" + count)));
	}

	/**
	 * Makes a server the replica of another, and waits until it has what that has.
	 */
	static void replicate(TestRedis replica, TestRedis master) {
		String id = id(master);
		TestRedis.await(() -> replica.call("CLUSTER", "REPLICATE", id).startsWith("+OK"));
		TestRedis.await(() -> replica.info("replication", "master_link_status").equals("up")
				&& master.call("CLUSTER", "NODES").lines().anyMatch((line) -> line.contains("slave " + id)));
	}

	/**
	 * Adds a server that has no slots yet.
	 */
	TestRedis join() {
		TestRedis node = TestRedis.clusterNode(QUICK);
		this.others.add(node);
		meet(node);
		TestRedis.await(() -> node.call("CLUSTER", "INFO").contains("cluster_state:ok")
				&& this.nodes.stream().allMatch((each) -> each.call("CLUSTER", "NODES").contains(id(node))));
		return node;
	}

	/**
	 * Waits until all masters are well again after one has hung, and makes them empty.
	 */
	void heal() {
		this.nodes.forEach(TestRedis::thaw);
		awaitAllKnown(this.nodes.size());
		TestRedis.await(() -> this.nodes.stream().noneMatch((node) -> node.call("CLUSTER", "NODES").contains("fail")));
		this.nodes.forEach((node) -> node.call("FLUSHALL"));
		this.nodes.forEach((node) -> node.call("SCRIPT", "FLUSH"));
	}

	List<TestRedis> nodes() {
		return this.nodes;
	}

	/**
	 * The replica of the master of the same number.
	 */
	TestRedis replica(int number) {
		return this.replicas.get(number);
	}

	/**
	 * Waits until a replica has taken the first master's place, and the others know it.
	 */
	void awaitPromoted(TestRedis promoted) {
		TestRedis another = this.nodes.get(1);
		TestRedis.await(() -> promoted.info("replication", "role").equals("master"));
		TestRedis.await(() -> another.call("CLUSTER", "NODES")
			.lines()
			.anyMatch((line) -> line.startsWith(id(promoted)) && line.contains("master")));
	}

	/**
	 * The number of the node that a slot belongs to at first.
	 */
	static int owner(int slot) {
		return slot * 3 / SlotHash.SLOT_COUNT;
	}

	static String id(TestRedis node) {
		return node.call("CLUSTER", "MYID").lines().skip(1).findFirst().orElseThrow();
	}

	@Override
	public void close() {
		Stream.of(this.nodes, this.replicas, this.others).flatMap(List::stream).forEach(TestRedis::close);
	}

}
