package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.Threads;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitReceipt;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances with clients, connections and clocks of their own have one budget. The
 * windows are long, so that it does not matter how fast anybody is.
 */
class RedisSharingTests extends OneServer {

	private static final int THREADS = 8;

	private static final int ASKED = 100;

	private static TestStore here;

	private static TestStore there;

	@BeforeAll
	static void open() {
		here = TestStore.of(redis, TestStore.PATIENT);
		there = new TestStore(ClientKind.JEDIS.standalone(redis.port()), TestStore.PATIENT, FailureMode.LOCAL);
		there.clock().advance(Duration.ofHours(1));
	}

	@AfterAll
	static void close() {
		here.close();
		there.close();
	}

	static Stream<RateLimitPolicy> policies() {
		return TestPolicies.of(300, Duration.ofDays(20));
	}

	@ParameterizedTest
	@MethodSource("policies")
	void allAreGivenTogetherExactlyTheLimit(RateLimitPolicy policy) {
		PolicyDecider[] states = { here.open(policy), there.open(policy) };
		List<Long> given = Threads.run(THREADS, (number) -> ask(states[number % 2]));
		assertThat(given.stream().mapToLong(Long::longValue).sum()).isEqualTo(policy.capacity());
	}

	private static long ask(PolicyDecider states) {
		long given = 0;
		for (int i = 0; i < ASKED; i++) {
			RateLimitDecision decision = states.decide("key", 1);
			assertThat(decision.fallback()).isFalse();
			given += decision.allowed() ? 1 : 0;
		}
		return given;
	}

	@ParameterizedTest
	@MethodSource("policies")
	void whatIsRefundedThereIsThereForBoth(RateLimitPolicy policy) {
		PolicyDecider[] states = { here.open(policy), there.open(policy) };
		RateLimitDecision given = states[0].decide("key", 200);
		states[1].refund("key", 200, given);
		assertThat(states[0].decide("key", 0).remaining()).isEqualTo(300);
	}

	/*
	 * By the server's time, at which both were decided: a process' own may be anything.
	 */
	@Test
	void arrivalsAtTwoInstancesLeaveEvenlyAtOneRate() {
		Duration slot = Duration.ofSeconds(10);
		RateLimitPolicy policy = RateLimitPolicy.of("queue",
				RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
					.limit(360)
					.window(slot.multipliedBy(360))
					.burst(THREADS * ASKED - 1L)
					.build());
		PolicyDecider[] states = { here.open(policy), there.open(policy) };
		List<Long> departures = Threads.run(THREADS, (number) -> departures(states[number % 2]))
			.stream()
			.flatMap(List::stream)
			.sorted()
			.toList();
		assertThat(departures).hasSize(THREADS * ASKED);
		for (int i = 1; i < departures.size(); i++) {
			assertThat(departures.get(i) - departures.get(i - 1)).as("%d after %d", i, i - 1)
				.isBetween(slot.toNanos() - 1000, slot.toNanos() + 1000);
		}
	}

	private static List<Long> departures(PolicyDecider states) {
		List<Long> departures = new ArrayList<>();
		for (int i = 0; i < ASKED; i++) {
			RateLimitDecision decision = states.decide("key", 1);
			assertThat(decision.allowed()).isTrue();
			departures.add(RateLimitReceipt.of(decision).decidedAtNanos(0) + decision.delayNanos());
		}
		return departures;
	}

}
