package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.stream.Stream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.Threads;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

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

	private TestStore store(ClientKind client, RedisSettings settings, FailureMode mode) {
		TestStore store = new TestStore(client.standalone(this.redis.port()), settings, mode);
		OutageWatch.awaitRecovery(store, store.open(RateLimitPolicy.of("warm", POLICY.limits().get(0))));
		return store;
	}

	private TestStore store(FailureMode mode) {
		return store(ClientKind.LETTUCE, TestStore.IMPATIENT, mode);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void localEnforcesThePolicyInThisProcess(RateLimitPolicy policy) {
		try (TestStore store = store(FailureMode.LOCAL)) {
			PolicyDecider states = store.open(policy);
			this.redis.kill();
			for (int i = 0; i < 30; i++) {
				RateLimitDecision decision = states.decide("key", 1);
				assertThat(decision.allowed()).isEqualTo(i < 10);
				assertThat(decision.fallback()).isTrue();
				assertThat(decision.unavailable()).isFalse();
			}
			assertThat(states.fallbacks()).isEqualTo(30);
		}
	}

	@Test
	void allowLetsAllThrough() {
		try (TestStore store = store(FailureMode.ALLOW)) {
			PolicyDecider states = store.open(POLICY);
			this.redis.kill();
			for (int i = 0; i < 30; i++) {
				RateLimitDecision decision = states.decide("key", 1);
				assertThat(decision.allowed()).isTrue();
				assertThat(decision.fallback()).isTrue();
				assertThat(decision.limits()).extracting(LimitStatus::remaining).containsExactly(10L, 20L);
			}
			states.refund("key", 1, states.decide("key", 1));
		}
	}

	@Test
	void denyTurnsAllAwayUntilItIsWorthTryingAgain() {
		try (TestStore store = store(FailureMode.REJECT)) {
			PolicyDecider states = store.open(POLICY);
			this.redis.kill();
			for (int i = 0; i < 30; i++) {
				RateLimitDecision decision = states.decide("key", 1);
				assertThat(decision.allowed()).isFalse();
				assertThat(decision.unavailable()).isTrue();
				assertThat(decision.retryAfter()).isEqualTo(TestStore.IMPATIENT.retryInterval());
			}
		}
	}

	@ParameterizedTest
	@EnumSource(ClientKind.class)
	void manyAtOnceWaitNoLongerThanOne(ClientKind client) {
		try (TestStore store = store(client, TestStore.IMPATIENT, FailureMode.REJECT)) {
			PolicyDecider states = store.open(POLICY);
			this.redis.freeze();
			int calls = store.calls();
			long begin = RunningTime.nanos();
			Threads.run(64, (number) -> {
				for (int i = 0; i < 100; i++) {
					assertThat(states.decide("key" + number, 1).unavailable()).isTrue();
				}
				return null;
			});
			assertThat(RunningTime.since(begin)).isLessThan(TestStore.IMPATIENT.timeout().plusSeconds(1));
			assertThat(store.calls() - calls).isLessThanOrEqualTo(64 + TestStore.FAILURES);
			assertThat(store.availability().isAvailable()).isFalse();
		}
	}

	@Test
	void whatTheFallbackGaveGoesBackToTheFallback() {
		try (TestStore store = store(FailureMode.LOCAL)) {
			PolicyDecider states = store.open(POLICY);
			this.redis.kill();
			RateLimitDecision given = states.decide("key", 6);
			assertThat(given.fallback()).isTrue();
			states.refund("key", 6, given);
			assertThat(states.decide("key", 0).remaining()).isEqualTo(10);
			given = states.decide("key", 6);
			this.redis.startAgain();
			OutageWatch.awaitRecovery(store, states);
			assertThat(states.decide("key", 3).remaining()).isEqualTo(7);
			states.refund("key", 6, given);
			assertThat(states.decide("key", 0).remaining()).isEqualTo(7);
		}
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
			OutageWatch.awaitRecovery(store, states);
			assertThat(states.decide("key", 3).remaining()).isEqualTo(7);
			states.refund("key", 6, given);
			assertThat(states.decide("key", 0).remaining()).isEqualTo(7);
		}
	}

	@ParameterizedTest
	@MethodSource("policies")
	void whatRedisGaveDoesNotGoBackToTheFallback(RateLimitPolicy policy) {
		try (TestStore store = store(FailureMode.LOCAL)) {
			PolicyDecider states = store.open(policy);
			RateLimitDecision given = states.decide("key", 6);
			this.redis.kill();
			assertThat(states.decide("key", 2).fallback()).isTrue();
			states.refund("key", 6, given);
			assertThat(states.decide("key", 0).remaining()).isEqualTo(2);
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
	void aKeyThatCannotBeResetIsAnError(ClientKind client) {
		try (TestStore store = store(client, TestStore.IMPATIENT, FailureMode.LOCAL)) {
			PolicyDecider states = store.open(POLICY);
			this.redis.kill();
			assertThatIllegalStateException().isThrownBy(() -> states.reset("key"))
				.withMessageContaining("was not reset");
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

}
