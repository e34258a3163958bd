package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.remote.ResilienceSettings;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.ReactivePermits;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is decided while Redis does not, and what becomes of what was taken before.
 */
class FailureModeTests {

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("policy",
			TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, 10, Duration.ofHours(1)),
			TestPolicies.limit(RateLimitAlgorithm.SLIDING_WINDOW_COUNTER, 20, Duration.ofHours(1)));

	@AutoClose
	private final TestRedis redis = TestRedis.start();

	static Stream<RateLimitPolicy> policies() {
		return TestPolicies.of(10, Duration.ofHours(1));
	}

	private TestStore store(ClientKind client, ResilienceSettings settings, FailureMode mode) {
		TestStore store = new TestStore(client.standalone(this.redis.port()), settings, mode);
		store.awaitRecovery(store.open(RateLimitPolicy.of("warm", POLICY.limits().get(0))));
		return store;
	}

	private TestStore store(FailureMode mode) {
		return store(ClientKind.LETTUCE, TestStore.IMPATIENT, mode);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void whatRedisHasForgottenIsNotRefundedToIt(RateLimitPolicy policy) {
		try (TestStore store = store(FailureMode.LOCAL)) {
			PolicyDecider states = store.open(policy);
			RateLimitDecision given = states.decide("key", 6);
			assertThat(given.fallback()).isFalse();
			this.redis.kill();
			assertThat(states.decide("key", 1).fallback()).isTrue();
			this.redis.startAgain();
			store.awaitRecovery(states);
			assertThat(states.decide("key", 3).remaining()).isEqualTo(7);
			states.refund("key", 6, given);
			assertThat(states.decide("key", 0).remaining()).isEqualTo(7);
		}
	}

	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void whoIsInterruptedWhileWaitingStaysInterruptedAndBlamesNobody(ClientKind client) {
		try (TestStore store = store(client, TestStore.PATIENT, FailureMode.LOCAL)) {
			PolicyDecider states = store.open(POLICY);
			assertThat(states.decide("key", 1).fallback()).isFalse();
			this.redis.freeze();
			Boolean[] interrupted = new Boolean[1];
			Thread waiting = new Thread(() -> {
				assertThat(states.decide("key", 1).fallback()).isTrue();
				interrupted[0] = Thread.currentThread().isInterrupted();
			});
			waiting.start();
			TestRedis.await(() -> waiting.getState() == Thread.State.TIMED_WAITING);
			waiting.interrupt();
			TestRedis.await(() -> !waiting.isAlive());
			assertThat(interrupted[0]).isTrue();
			assertThat(store.availability().isAvailable()).isTrue();
			this.redis.thaw();
			assertThat(states.decide("other", 1).fallback()).isFalse();
		}
	}

	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void afterItsEndTheStoreDecidesByItsFailureMode(ClientKind client) {
		TestStore store = store(client, TestStore.IMPATIENT, FailureMode.REJECT);
		PolicyDecider states = store.open(POLICY);
		store.closeStore();
		assertThat(states.decide("key", 1).unavailable()).isTrue();
		store.close();
		store.clock().advance(TestStore.IMPATIENT.retryInterval());
		assertThat(states.decide("key", 1).unavailable()).isTrue();
	}

	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void aThousandCallersOfAServerThatHangsHoldNoThreadAndAreAnsweredInTime(ClientKind client) {
		try (TestStore store = store(client, TestStore.IMPATIENT, FailureMode.LOCAL)) {
			PermitRequest request = PermitRequest.of(store.limiter().register(POLICY), "key", 1);
			this.redis.freeze();
			int threads = Thread.activeCount();
			long begin = RunningTime.nanos();
			List<Acquisition> callers = Stream.generate(() -> new Acquisition(new WaitingRoom(store.clock(), 9)))
				.limit(1000)
				.toList();
			List<CompletableFuture<Boolean>> answers = callers.stream()
				.map((each) -> ReactivePermits.take(each, List.of(request)).toFuture())
				.toList();
			assertThat(Thread.activeCount() - threads).isLessThan(50);
			assertThat(answers).filteredOn(CompletableFuture::join).hasSize(10);
			assertThat(RunningTime.since(begin)).isLessThan(TestStore.IMPATIENT.timeout().plusSeconds(2));
			assertThat(callers).flatExtracting(Acquisition::entries)
				.hasSize(1000)
				.allMatch((entry) -> entry.decision().fallback());
			this.redis.thaw();
			store.awaitRecovery(store.open(POLICY));
		}
	}

	/*
	 * Whatever a request asks and calls.
	 */
	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void aServerThatHangsMakesARequestWaitForOneTimeOut(ClientKind client) {
		try (TestStore store = store(client, TestStore.IMPATIENT, FailureMode.LOCAL)) {
			RateLimiterRegistry limiter = store.limiter();
			List<PermitRequest> requests = TestPolicies.of(10, Duration.ofHours(1))
				.map((policy) -> PermitRequest.of(limiter.register(policy), "key", 1))
				.toList();
			this.redis.freeze();
			long begin = RunningTime.nanos();
			Acquisition ledger = new Acquisition(new WaitingRoom(store.clock(), 9));
			assertThat(ledger.take(requests.subList(0, 2))).isTrue();
			assertThat(ledger.take(requests.subList(2, 3))).isTrue();
			assertThat(ledger.call("place").take(requests.subList(3, 4))).isTrue();
			assertThat(ledger.call("another").take(requests.subList(4, 5))).isTrue();
			assertThat(RunningTime.since(begin)).isLessThan(TestStore.IMPATIENT.timeout().plusMillis(400));
			assertThat(store.availability().isAvailable()).as("one failure").isTrue();
		}
	}

}
