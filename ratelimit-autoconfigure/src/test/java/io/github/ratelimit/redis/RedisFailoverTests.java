package io.github.ratelimit.redis;

import java.time.Duration;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A replica takes the master's place, and all that the master knew is still known.
 */
@ParameterizedClass
@EnumSource(ClientKind.class)
@ExtendWith(OutputCaptureExtension.class)
class RedisFailoverTests {

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("policy",
			TestPolicies.limit(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 10, Duration.ofHours(1)));

	private static final Duration SOON = Duration.ofSeconds(5);

	private static final RateLimitPolicy LARGE = RateLimitPolicy.of("large",
			TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, 1_000_000, Duration.ofDays(20)));

	@Parameter
	private ClientKind client;

	private final TestRedis master = TestRedis.start();

	private final TestRedis replica = TestRedis.replicaOf(this.master);

	@BeforeEach
	void take() {
		try (TestStore before = TestStore.of(this.master, TestStore.PATIENT)) {
			assertThat(before.open(POLICY).decide("before", 4).remaining()).isEqualTo(6);
		}
		TestRedis.await(() -> this.replica.number("EXISTS", "test:{policy:before}:log1") == 1
				&& this.replica.number("EXISTS", "test:{policy:before}") == 1);
	}

	@AfterEach
	void stop() {
		this.replica.close();
		this.master.close();
	}

	private TestStore store(RedisConnectionFactory factory) {
		return new TestStore(factory, TestStore.IMPATIENT, FailureMode.LOCAL);
	}

	@Test
	void aReplicaThatIsPromotedByHand(CapturedOutput output) {
		try (TestStore store = store(this.client.standalone(this.replica.port()))) {
			OutageWatch watch = new OutageWatch(store, store.open(POLICY), output);
			watch.outage();
			this.replica.call("REPLICAOF", "NO", "ONE");
			watch.recovery();
			assertThat(watch.decide("before", 0).remaining()).isEqualTo(6);
		}
	}

	@Test
	void aMasterThatBecomesAReplicaAndIsPromotedAgain(CapturedOutput output) {
		try (TestStore store = store(this.client.standalone(this.master.port()))) {
			PolicyDecider states = store.open(POLICY);
			OutageWatch.awaitRecovery(store, states);
			OutageWatch watch = new OutageWatch(store, states, output);
			this.replica.call("REPLICAOF", "NO", "ONE");
			this.master.call("REPLICAOF", "127.0.0.1", "" + this.replica.port());
			watch.outage();
			this.master.call("REPLICAOF", "NO", "ONE");
			watch.recovery();
			assertThat(watch.decide("before", 0).remaining()).isEqualTo(6);
		}
	}

	@Test
	void aMasterThatIsKilledAndWhoseReplicaASentinelPromotes(CapturedOutput output) {
		failOver(output, this.master::kill);
	}

	@Test
	void aMasterThatHangsAndWhoseReplicaASentinelPromotes(CapturedOutput output) {
		failOver(output, this.master::freeze);
	}

	private void failOver(CapturedOutput output, Runnable failure) {
		try (TestRedis sentinel = TestRedis.sentinelOf(this.master);
				TestStore store = store(this.client.sentinel("master", sentinel.port()))) {
			PolicyDecider states = store.open(POLICY);
			OutageWatch.awaitRecovery(store, states);
			assertThat(states.decide("before", 0).remaining()).isEqualTo(6);
			OutageWatch watch = new OutageWatch(store, states, output);
			failure.run();
			watch.firstFailure();
			store.clock().advance(TestStore.IMPATIENT.retryInterval());
			watch.decide("key", 1);
			TestRedis.await(() -> this.replica.info("replication", "role").equals("master")
					&& sentinel.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "master")
						.contains("" + this.replica.port()));
			watch.recoveryOnceFound();
			assertThat(watch.decide("before", 0).remaining()).isEqualTo(6);
		}
	}

	/*
	 * What the former one still takes is lost.
	 */
	@Test
	void aMasterWhoseReplicaASentinelPromotesWhileItIsWellIsLeftAtOnce() {
		try (TestRedis sentinel = TestRedis.sentinelOf(this.master);
				TestStore store = store(this.client.sentinel("master", sentinel.port()))) {
			PolicyDecider states = store.open(LARGE);
			OutageWatch.awaitRecovery(store, states);
			// a Sentinel gives up what takes longer
			sentinel.call("SENTINEL", "SET", "master", "failover-timeout", "20000");
			TestRedis.await(() -> sentinel.call("SENTINEL", "FAILOVER", "master").startsWith("+OK"));
			TestRedis.await(() -> sentinel.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "master")
				.contains("" + this.replica.port()));
			long promoted = RunningTime.nanos();
			TestRedis.await(() -> {
				store.clock().advance(TestStore.IMPATIENT.retryInterval());
				return !states.decide("new", 1).fallback() && this.replica.number("EXISTS", "test:{large:new}") == 1;
			});
			assertThat(RunningTime.since(promoted)).isLessThan(SOON);
			long fallbacks = states.fallbacks();
			for (int i = 0; i < 100; i++) {
				states.decide("key" + i, 1);
			}
			assertThat(states.fallbacks()).isEqualTo(fallbacks);
			assertThat(this.replica.keys()).contains("test:{large:key0}", "test:{large:key99}");
		}
	}

}
