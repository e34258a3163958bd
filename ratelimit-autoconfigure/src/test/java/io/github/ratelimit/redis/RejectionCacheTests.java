package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.test.model.Decisions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A caller that keeps asking for a rejected key costs Redis next to nothing, and gets the
 * same answers.
 */
class RejectionCacheTests extends OneServer {

	private static final Duration MEMORY = TestStore.PATIENT.rejectionMemory();

	@AutoClose
	private TestStore store;

	@BeforeEach
	void open() {
		this.store = TestStore.of(redis, TestStore.PATIENT);
	}

	static Stream<RateLimitPolicy> policies() {
		return TestPolicies.of(10, Duration.ofHours(1));
	}

	private PolicyDecider exhausted(RateLimitPolicy policy) {
		PolicyDecider states = this.store.open(policy);
		assertThat(states.decide("key", policy.capacity()).allowed()).isTrue();
		redis.call("CONFIG", "RESETSTAT");
		return states;
	}

	private static long calls() {
		return Stream.of("evalsha", "eval").mapToLong((command) -> {
			String statistics = redis.info("commandstats", "cmdstat_" + command);
			return statistics.isEmpty() ? 0 : Long.parseLong(statistics.substring(6, statistics.indexOf(',')));
		}).sum();
	}

	@ParameterizedTest
	@MethodSource("policies")
	void requestsForARejectedKeyAreOneCallForEachRenewal(RateLimitPolicy policy) {
		PolicyDecider states = exhausted(policy);
		for (int i = 0; i < 10_000; i++) {
			assertThat(states.decide("key", 1).allowed()).isFalse();
			this.store.clock().advance(MEMORY.dividedBy(1000));
		}
		assertThat(calls()).isEqualTo(12);
	}

	@Test
	void ofAllCallersOfARejectedKeyOneRenewsTheRejectionBeforeItEnds() throws Exception {
		PolicyDecider states = exhausted(
				RateLimitPolicy.of("policy", RateLimit.of(TOKEN_BUCKET, 10, Duration.ofHours(1))));
		assertThat(states.decide("key", 1).allowed()).isFalse();
		ExecutorService threads = Executors.newFixedThreadPool(8);
		try {
			for (int second = 0; second < 20; second++) {
				this.store.clock().advance(MEMORY.multipliedBy(95).dividedBy(100));
				threads.invokeAll(Collections.nCopies(8, () -> states.decide("key", 1)));
			}
		}
		finally {
			threads.shutdown();
		}
		assertThat(calls()).isEqualTo(21);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void whatIsRememberedCountsDownExactly(RateLimitPolicy policy) {
		PolicyDecider states = exhausted(policy);
		RateLimitDecision first = states.decide("key", 1);
		for (long nanos : new long[] { 1, 1000, 999_999, 500_000_000 }) {
			this.store.clock().advanceNanos(nanos);
			first = RateLimitDecisions.after(first, nanos);
			RateLimitDecision repeated = states.decide("key", 1);
			assertThat(Decisions.describe(repeated)).isEqualTo(Decisions.describe(first));
			assertThat(repeated.fallback()).isFalse();
		}
		assertThat(first.retryAfterNanos()).isPositive();
		assertThat(calls()).isEqualTo(1);
	}

	@Test
	void whatCanPassBeforeIsNotRememberedLonger() {
		PolicyDecider states = exhausted(
				RateLimitPolicy.of("fast", RateLimit.of(SLIDING_WINDOW_LOG, 1, Duration.ofMillis(500))));
		RateLimitDecision rejected = states.decide("key", 1);
		assertThat(rejected.allowed()).isFalse();
		this.store.clock().advanceNanos(rejected.retryAfterNanos() - 1);
		RateLimitDecision last = states.decide("key", 1);
		assertThat(last.allowed()).isFalse();
		assertThat(last.retryAfterNanos()).isEqualTo(1);
		assertThat(calls()).isEqualTo(1);
		this.store.clock().advanceNanos(1);
		states.decide("key", 1);
		assertThat(calls()).isEqualTo(2);
	}

	@Test
	void whatAsksForOtherPermitsOrOnlyLooksIsAsked() {
		PolicyDecider states = this.store
			.open(RateLimitPolicy.of("policy", RateLimit.of(TOKEN_BUCKET, 10, Duration.ofHours(1))));
		states.decide("key", 8);
		assertThat(states.decide("key", 3).allowed()).isFalse();
		assertThat(states.decide("key", 3).allowed()).isFalse();
		redis.call("CONFIG", "RESETSTAT");
		assertThat(states.decide("key", 0).remaining()).isEqualTo(2);
		assertThat(states.decide("key", 2).allowed()).isTrue();
		assertThat(states.decide("other", 3).allowed()).isTrue();
		assertThat(calls()).isEqualTo(3);
	}

	@Test
	void aRequestThatCanNeverPassIsRememberedToo() {
		PolicyDecider states = exhausted(
				RateLimitPolicy.of("policy", RateLimit.of(TOKEN_BUCKET, 10, Duration.ofHours(1))));
		for (int i = 0; i < 100; i++) {
			assertThat(states.decide("key", 11).retryAfterNanos()).isEqualTo(RateLimitDecision.NEVER);
			assertThat(states.decide("key", 11).remaining()).isZero();
		}
		assertThat(calls()).isEqualTo(1);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aResetHereTakesEffectAtOnce(RateLimitPolicy policy) {
		PolicyDecider states = exhausted(policy);
		assertThat(states.decide("key", 1).allowed()).isFalse();
		states.reset("key");
		assertThat(states.decide("key", 1).allowed()).isTrue();
	}

	@ParameterizedTest
	@MethodSource("policies")
	void whatIsRefundedHereIsThereAtOnce(RateLimitPolicy policy) {
		PolicyDecider states = this.store.open(policy);
		RateLimitDecision given = states.decide("key", policy.capacity());
		assertThat(states.decide("key", 1).allowed()).isFalse();
		states.refund("key", policy.capacity(), given);
		assertThat(states.decide("key", 1).allowed()).isTrue();
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aResetElsewhereTakesEffectWithinTheMemory(RateLimitPolicy policy) {
		PolicyDecider states = exhausted(policy);
		assertThat(states.decide("key", 1).allowed()).isFalse();
		try (TestStore elsewhere = TestStore.of(redis, TestStore.PATIENT)) {
			elsewhere.open(policy).reset("key");
		}
		this.store.clock().advance(MEMORY.dividedBy(2));
		assertThat(states.decide("key", 1).allowed()).isFalse();
		this.store.clock().advance(MEMORY.dividedBy(2));
		assertThat(states.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void rejectionsThatCountAreNeverRemembered() {
		RateLimit counted = TestPolicies.countingRejected(10, Duration.ofHours(1));
		PolicyDecider states = exhausted(
				RateLimitPolicy.of("counted", RateLimit.of(TOKEN_BUCKET, 20, Duration.ofHours(1)), counted));
		for (int i = 0; i < 100; i++) {
			assertThat(states.decide("key", 1).allowed()).isFalse();
		}
		assertThat(calls()).isEqualTo(100);
	}

	@Test
	void withoutAMemoryEveryoneIsAsked() {
		try (TestStore forgetful = TestStore.of(redis, TestStore.FORGETFUL)) {
			PolicyDecider states = forgetful
				.open(RateLimitPolicy.of("p", RateLimit.of(TOKEN_BUCKET, 1, Duration.ofHours(1))));
			states.decide("key", 1);
			redis.call("CONFIG", "RESETSTAT");
			for (int i = 0; i < 10; i++) {
				assertThat(states.decide("key", 1).allowed()).isFalse();
			}
			assertThat(calls()).isEqualTo(10);
		}
	}

}
