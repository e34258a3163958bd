package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.Threads;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession;
import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.mock;

/**
 * A cluster of three masters decides as one server does, even while a slot moves.
 */
class RedisClusterTests {

	private static final Duration WINDOW = Duration.ofDays(20);

	private static TestCluster cluster;

	private static TestStore lettuce;

	private static TestStore jedis;

	@BeforeAll
	static void start() {
		cluster = new TestCluster();
		lettuce = store(ClientKind.LETTUCE);
		jedis = store(ClientKind.JEDIS);
	}

	@AfterAll
	static void stop() {
		lettuce.close();
		jedis.close();
		cluster.close();
	}

	private static TestStore store(ClientKind client) {
		return new TestStore(client.cluster(cluster.nodes()), TestStore.PATIENT, FailureMode.REJECT);
	}

	static Stream<RateLimitPolicy> policies() {
		return TestPolicies.of(10, WINDOW);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void allNodesDecide(RateLimitPolicy policy) {
		PolicyDecider here = lettuce.open(policy);
		PolicyDecider there = jedis.open(policy);
		for (int i = 0; i < 30; i++) {
			String key = "key" + i;
			assertThat(here.decide(key, 4).remaining()).isEqualTo(6);
			RateLimitDecision second = there.decide(key, 6);
			assertThat(second.remaining()).isZero();
			assertThat(here.decide(key, 1).allowed()).isFalse();
			there.refund(key, 6, second);
			assertThat(there.decide(key, 0).remaining()).isEqualTo(6);
			there.reset(key);
			assertThat(there.decide(key, 0).remaining()).isEqualTo(10);
		}
	}

	@Test
	void allNodesSettleAndBan() {
		RateLimitPolicy policy = RateLimitPolicy.builder("outcome")
			.limit(TestPolicies.limit(SLIDING_WINDOW_LOG, 10, WINDOW))
			.limit(TestPolicies.limit(TOKEN_BUCKET, 10, WINDOW))
			.charge("status >= 400")
			.ban(new RateLimitBan(2))
			.build();
		PolicyDecider here = lettuce.open(policy);
		PolicyDecider there = jedis.open(policy);
		for (int i = 0; i < 30; i++) {
			String key = "key" + i;
			there.settle(key, 1, 0, here.decide(key, 1));
			RateLimitDecision second = there.decide(key, 4);
			assertThat(here.settleAsync(key, 4, 9, second)).succeedsWithin(Duration.ofMinutes(1));
			assertThat(there.decide(key, 0).remaining()).isEqualTo(1);
			assertThat(there.decide(key, 2).banned()).isFalse();
			assertThat(here.decide(key, 2).banned()).isTrue();
			assertThat(there.decide(key, 1).banned()).isTrue();
			here.reset(key);
		}
	}

	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void aSlotThatMovesWhileDecidingLosesAndDoublesNothing(ClientKind client) {
		RateLimitPolicy policy = RateLimitPolicy.of("moving", TestPolicies.limit(TOKEN_BUCKET, 1000, WINDOW),
				TestPolicies.limit(SLIDING_WINDOW_LOG, 1000, WINDOW),
				TestPolicies.limit(SLIDING_WINDOW_LOG, 2000, WINDOW));
		PolicyDecider states = ((client == ClientKind.LETTUCE) ? lettuce : jedis).open(policy);
		Semaphore turns = new Semaphore(0);
		AtomicInteger asked = new AtomicInteger();
		List<Integer> given = Threads.run(5, (number) -> {
			if (number == 0) {
				move(new RedisKeys("test", "moving", 2, 3).of(client.name()), turns);
				turns.release(2000);
				return 0;
			}
			int own = 0;
			while (asked.getAndIncrement() < 1200) {
				turns.acquireUninterruptibly();
				RateLimitDecision decision = states.decide(client.name(), 1);
				assertThat(decision.fallback()).isFalse();
				own += decision.allowed() ? 1 : 0;
			}
			return own;
		});
		assertThat(given.stream().mapToInt(Integer::intValue).sum()).isEqualTo(1000);
	}

	/*
	 * Neither node serves a call with several keys of which none is there yet.
	 */
	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void aKeyThatCannotBeDecidedWhileItsSlotMovesDoesNotConcernTheOthers(ClientKind client) {
		RateLimitPolicy policy = RateLimitPolicy.of("new", TestPolicies.limit(SLIDING_WINDOW_LOG, 10, WINDOW));
		int slot = SlotHash.getSlot(new RedisKeys("test", "new", 1).of(client.name())[0]);
		TestRedis source = cluster.nodes().get(TestCluster.owner(slot));
		TestRedis target = cluster.nodes().get((TestCluster.owner(slot) + 1) % 3);
		try (TestStore store = new TestStore(client.cluster(cluster.nodes()), TestStore.IMPATIENT,
				FailureMode.REJECT)) {
			PolicyDecider states = store.open(policy);
			store.awaitRecovery(states);
			long outages = store.availability().outages();
			setSlot(target, slot, "IMPORTING", TestCluster.id(source));
			setSlot(source, slot, "MIGRATING", TestCluster.id(target));
			assertThat(states.decide(client.name(), 1).unavailable()).isTrue();
			assertThat(store.availability().outages()).isEqualTo(outages);
			assertThat(states.decide("another", 1).fallback()).isFalse();
			setSlot(target, slot, "NODE", TestCluster.id(target));
			setSlot(source, slot, "NODE", TestCluster.id(target));
			assertThat(states.decide(client.name(), 1).allowed()).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void aServerThatJoinsIsFoundThroughTheOthers(ClientKind client) {
		RateLimitPolicy policy = RateLimitPolicy.of("joined", TestPolicies.limit(TOKEN_BUCKET, 10, WINDOW));
		byte[] name = new RedisKeys("test", "joined").of(client.name())[0];
		TestRedis other = cluster.join();
		setSlot(other, SlotHash.getSlot(name), "NODE", TestCluster.id(other));
		other.call("CLUSTER", "BUMPEPOCH");
		cluster.nodes().forEach((node) -> setSlot(node, SlotHash.getSlot(name), "NODE", TestCluster.id(other)));
		PolicyDecider states = ((client == ClientKind.LETTUCE) ? lettuce : jedis).open(policy);
		assertThat(states.decide(client.name(), 1).fallback()).isFalse();
		assertThat(other.keys()).containsExactly(new String(name, StandardCharsets.US_ASCII));
	}

	/*
	 * Such as Redisson's, or those that pass everything on.
	 */
	@Test
	void aClientThatIsNotKnownMayLeadToACluster() {
		RedisConnectionFactory known = ClientKind.LETTUCE.cluster(cluster.nodes());
		RedisConnectionFactory unknown = mock(RedisConnectionFactory.class, delegatesTo(known));
		try (TestStore store = new TestStore(unknown, TestStore.PATIENT, FailureMode.REJECT)) {
			List<RateLimitSession.Question> questions = policies()
				.map((policy) -> RateLimitSession.Question.of(store.open(policy), "unknown", 1, false))
				.toList();
			assertThat(questions.get(0).decider().decide("unknown", 1).fallback()).isFalse();
			assertThat(store.store().sessions().get().decide(questions)).noneMatch(RateLimitDecision::fallback);
		}
		ClientKind.stop(known);
	}

	/*
	 * All the while, others decide. One key moves after the other, so that for a while
	 * they are on different nodes, until a call has been redirected.
	 */
	private static void move(byte[][] names, Semaphore turns) {
		int slot = SlotHash.getSlot(names[0]);
		TestRedis source = cluster.nodes().get(TestCluster.owner(slot));
		TestRedis target = cluster.nodes().get((TestCluster.owner(slot) + 1) % 3);
		decide(turns);
		setSlot(target, slot, "IMPORTING", TestCluster.id(source));
		decide(turns);
		setSlot(source, slot, "MIGRATING", TestCluster.id(target));
		decide(turns);
		source.call("CONFIG", "RESETSTAT");
		target.call("CONFIG", "RESETSTAT");
		migrate(source, target, names[0]);
		turns.release(100);
		TestRedis.await(() -> hasSaidTryAgain(source) || hasSaidTryAgain(target));
		for (int i = 1; i < names.length; i++) {
			migrate(source, target, names[i]);
		}
		decide(turns);
		setSlot(target, slot, "NODE", TestCluster.id(target));
		decide(turns);
		setSlot(source, slot, "NODE", TestCluster.id(target));
		decide(turns);
	}

	/*
	 * Before Redis 7, only the target does.
	 */
	private static boolean hasSaidTryAgain(TestRedis node) {
		return !node.info("errorstats", "errorstat_TRYAGAIN").isEmpty();
	}

	private static void decide(Semaphore turns) {
		turns.release(100);
		TestRedis.await(() -> turns.availablePermits() < 50);
	}

	private static void migrate(TestRedis source, TestRedis target, byte[] name) {
		assertThat(source.call("MIGRATE", "127.0.0.1", "" + target.port(), new String(name, StandardCharsets.US_ASCII),
				"0", "5000"))
			.startsWith("+OK");
	}

	private static void setSlot(TestRedis node, int slot, String how, String id) {
		assertThat(node.call("CLUSTER", "SETSLOT", "" + slot, how, id)).startsWith("+OK");
	}

}
