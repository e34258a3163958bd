package io.github.ratelimit.redis;

import java.time.Duration;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.SessionMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A real server dies, hangs, or takes no writes: no caller waits for long or sees an
 * error, and limits are shared again as soon as it is well.
 */
@ParameterizedClass
@CsvSource({ "LETTUCE, SYNCHRONOUS", "LETTUCE, ASYNCHRONOUS", "JEDIS, SYNCHRONOUS", "JEDIS, ASYNCHRONOUS" })
class RedisOutageTests {

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("policy",
			TestPolicies.limit(TOKEN_BUCKET, 10, Duration.ofHours(1)));

	private static final RateLimitPolicy CHARGED = RateLimitPolicy.builder("charged")
		.limit(TestPolicies.limit(SLIDING_WINDOW_LOG, 10, Duration.ofHours(1)))
		.charge("status >= 400")
		.build();

	@Parameter(0)
	private ClientKind client;

	@Parameter(1)
	private SessionMode mode;

	private final TestRedis redis = TestRedis.start();

	private TestStore store;

	private PolicyDecider states;

	@BeforeEach
	void open() {
		this.store = new TestStore(this.client.standalone(this.redis.port()), TestStore.IMPATIENT, FailureMode.LOCAL);
		this.states = this.mode.of(this.store.open(POLICY), this.store.store().sessions());
		this.store.awaitRecovery(this.states);
		assertThat(this.states.decide("before", 4).remaining()).isEqualTo(6);
	}

	@AfterEach
	void close() {
		this.store.close();
		this.redis.close();
	}

	/*
	 * The first few who ask find it, and then one asks again in each interval.
	 */
	private static void outage(TestStore store, PolicyDecider states) {
		long outages = store.availability().outages();
		for (int i = 0; i <= TestStore.FAILURES; i++) {
			assertThat(store.availability().isAvailable()).isEqualTo(i < TestStore.FAILURES);
			assertThat(decide(states, "outage", 1).fallback()).isTrue();
		}
		assertThat(store.availability().failure()).isNotEmpty();
		int calls = store.calls();
		for (int i = 1; i <= 2; i++) {
			store.clock().advance(TestStore.IMPATIENT.retryInterval());
			for (int key = 0; key < 50; key++) {
				assertThat(decide(states, "key" + key, 1).fallback()).isTrue();
			}
			assertThat(store.calls()).isEqualTo(calls + i);
		}
		assertThat(store.availability().outages()).isEqualTo(outages + 1);
	}

	/*
	 * Within two intervals.
	 */
	private static void recovery(TestStore store, PolicyDecider states) {
		store.clock().advance(TestStore.IMPATIENT.retryInterval());
		if (decide(states, "recovery", 1).fallback()) {
			store.clock().advance(TestStore.IMPATIENT.retryInterval());
		}
		for (int key = 0; key < 50; key++) {
			assertThat(decide(states, "recovered" + key, 1).fallback()).isFalse();
		}
		assertThat(store.availability().isAvailable()).isTrue();
		assertThat(store.availability().failure()).isNull();
	}

	private static RateLimitDecision decide(PolicyDecider states, String key, long permits) {
		long begin = RunningTime.nanos();
		RateLimitDecision decision = states.decide(key, permits);
		assertThat(RunningTime.since(begin)).isLessThan(TestStore.IMPATIENT.timeout().plusSeconds(1));
		return decision;
	}

	@Test
	void killedAgainAndAgain() {
		for (int i = 0; i < 3; i++) {
			this.redis.kill();
			outage(this.store, this.states);
			this.redis.startAgain();
			recovery(this.store, this.states);
		}
	}

	@Test
	void frozenAndThawed() {
		this.redis.freeze();
		outage(this.store, this.states);
		this.redis.thaw();
		recovery(this.store, this.states);
		assertThat(decide(this.states, "before", 0).remaining()).isEqualTo(6);
	}

	@Test
	void frozenAndKilledAndRestarted() {
		this.redis.freeze();
		outage(this.store, this.states);
		long outages = this.store.availability().outages();
		this.redis.kill();
		this.store.clock().advance(TestStore.IMPATIENT.retryInterval());
		assertThat(decide(this.states, "key", 1).fallback()).isTrue();
		this.redis.startAgain();
		recovery(this.store, this.states);
		assertThat(this.store.availability().outages()).isEqualTo(outages);
	}

	@Test
	void asksThatWriteNothingDoNotMistakeAFullServerForAWellOne() {
		this.states.decide("exhausted", 10);
		this.redis.call("CONFIG", "SET", "maxmemory", "1");
		outage(this.store, this.states);
		for (int i = 0; i < 3; i++) {
			this.store.clock().advance(TestStore.IMPATIENT.retryInterval());
			assertThat(decide(this.states, "before", 0).remaining()).isEqualTo(6);
			assertThat(decide(this.states, "exhausted", 1).allowed()).isFalse();
			assertThat(this.store.availability().isAvailable()).isFalse();
		}
		this.redis.call("CONFIG", "SET", "maxmemory", "0");
		recovery(this.store, this.states);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			NOREPLICAS | CONFIG SET min-replicas-to-write 1           | CONFIG SET min-replicas-to-write 0
			NOPERM     | ACL SETUSER default -evalsha                 | ACL SETUSER default +evalsha
			MASTERDOWN | CONFIG SET replica-serve-stale-data no, REPLICAOF 127.0.0.1 1 | REPLICAOF NO ONE
			""")
	void fallsBackUntilTheErrorIsOver(String error, String begin, String end) {
		for (String command : begin.split(", ")) {
			this.redis.call(command.split(" "));
		}
		for (int i = 0; i <= TestStore.FAILURES; i++) {
			assertThat(this.states.decide("key", 1).fallback()).isTrue();
		}
		assertThat(this.store.availability().isAvailable()).isFalse();
		assertThat(this.store.availability().failure()).contains(error);
		this.redis.call(end.split(" "));
		this.store.awaitRecovery(this.states);
		assertThat(this.states.decide("key", 1).fallback()).isFalse();
		assertThat(this.store.availability().isAvailable()).isTrue();
	}

	@Test
	void aReplicaThatIsPromotedByHandKnowsWhatWasTaken() {
		this.store.open(CHARGED).decide("before", 4);
		try (TestRedis replica = TestRedis.replicaOf(this.redis);
				TestStore other = new TestStore(this.client.standalone(replica.port()), TestStore.IMPATIENT,
						FailureMode.LOCAL)) {
			PolicyDecider there = other.open(CHARGED);
			outage(other, there);
			replica.call("REPLICAOF", "NO", "ONE");
			recovery(other, there);
			assertThat(there.decide("before", 0).remaining()).isEqualTo(6);
		}
	}

}
