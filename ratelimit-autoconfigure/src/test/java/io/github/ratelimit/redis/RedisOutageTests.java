package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.remote.StoreCallException;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A real server dies, hangs, or takes no writes: no caller waits for long or sees an
 * error, and limits are shared again as soon as it is well.
 */
@ParameterizedClass
@EnumSource(ClientKind.class)
@ExtendWith(OutputCaptureExtension.class)
class RedisOutageTests {

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("policy",
			TestPolicies.limit(TOKEN_BUCKET, 10, Duration.ofHours(1)));

	private static final RateLimitPolicy CHARGED = RateLimitPolicy.builder("charged")
		.limit(TestPolicies.limit(SLIDING_WINDOW_LOG, 10, Duration.ofHours(1)))
		.charge("status >= 400")
		.build();

	@Parameter
	private ClientKind client;

	private final TestRedis redis = TestRedis.start();

	private TestStore store;

	private PolicyDecider states;

	private OutageWatch watch;

	@BeforeEach
	void open(CapturedOutput output) {
		this.store = new TestStore(this.client.standalone(this.redis.port()), TestStore.IMPATIENT, FailureMode.LOCAL);
		this.states = this.store.open(POLICY);
		OutageWatch.awaitRecovery(this.store, this.states);
		this.watch = new OutageWatch(this.store, this.states, output);
		assertThat(this.states.decide("before", 4).remaining()).isEqualTo(6);
	}

	@AfterEach
	void close() {
		this.store.close();
		this.redis.close();
	}

	@Test
	void killedAgainAndAgain(CapturedOutput output) {
		for (int i = 0; i < 3; i++) {
			OutageWatch each = new OutageWatch(this.store, this.states, output);
			this.redis.kill();
			each.outage();
			this.redis.startAgain();
			each.recovery();
		}
	}

	@Test
	void frozenAndThawed() {
		this.redis.freeze();
		this.watch.outage();
		this.redis.thaw();
		this.watch.recovery();
		assertThat(this.watch.decide("before", 0).remaining()).isEqualTo(6);
	}

	@Test
	void asksThatWriteNothingDoNotMistakeAFullServerForAWellOne() {
		this.states.decide("exhausted", 10);
		this.redis.call("CONFIG", "SET", "maxmemory", "1");
		this.watch.outage();
		for (int i = 0; i < 3; i++) {
			this.store.clock().advance(TestStore.IMPATIENT.retryInterval());
			assertThat(this.watch.decide("before", 0).remaining()).isEqualTo(6);
			assertThat(this.watch.decide("exhausted", 1).allowed()).isFalse();
			assertThat(this.store.availability().isAvailable()).isFalse();
		}
		this.redis.call("CONFIG", "SET", "maxmemory", "0");
		this.watch.recovery();
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
		OutageWatch.awaitRecovery(this.store, this.states);
		assertThat(this.states.decide("key", 1).fallback()).isFalse();
		assertThat(this.store.availability().isAvailable()).isTrue();
	}

	@Test
	void aServerThatHangsMakesNobodyWait() {
		PolicyDecider charged = this.store.open(CHARGED);
		RateLimitDecision given = charged.decide("key", 1);
		this.redis.freeze();
		CompletableFuture<CompletionStage<Void>> settling = CompletableFuture
			.supplyAsync(() -> charged.settleAsync("key", 1, 5, given));
		TestRedis.await(settling::isDone);
		assertThat(settling).isCompleted();
		this.redis.thaw();
		TestRedis.await(() -> settling.join().toCompletableFuture().isDone());
		OutageWatch.awaitRecovery(this.store, this.states);
		assertThat(charged.decide("key", 0).remaining()).isIn(9L, 5L);
	}

	@Test
	void aServerThatIsGoneMakesNobodyWait() {
		PolicyDecider charged = this.store.open(CHARGED);
		RateLimitDecision given = charged.decide("key", 1);
		this.redis.kill();
		assertThat(charged.settleAsync("key", 1, 0, given)).failsWithin(Duration.ofSeconds(30))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(StoreCallException.class);
	}

	@Test
	void aReplicaThatIsPromotedByHandKnowsWhatWasTaken(CapturedOutput output) {
		this.store.open(CHARGED).decide("before", 4);
		try (TestRedis replica = TestRedis.replicaOf(this.redis);
				TestStore other = new TestStore(this.client.standalone(replica.port()), TestStore.IMPATIENT,
						FailureMode.LOCAL)) {
			OutageWatch each = new OutageWatch(other, other.open(CHARGED), output);
			each.outage();
			replica.call("REPLICAOF", "NO", "ONE");
			each.recovery();
			assertThat(each.decide("before", 0).remaining()).isEqualTo(6);
		}
	}

}
