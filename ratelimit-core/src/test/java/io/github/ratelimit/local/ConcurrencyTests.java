package io.github.ratelimit.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.Threads;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.model.Decisions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many threads on few keys. Nothing here depends on how fast anybody is: the clock stands
 * still, or what is asserted holds at any speed.
 */
class ConcurrencyTests {

	private static final int THREADS = 8;

	private static final int ASKED = 500;

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final ManualClock clock = ManualClock.atMidnight();

	@AutoClose
	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 1000);

	static Stream<RateLimitPolicy> policies() {
		List<RateLimitPolicy> policies = new ArrayList<>();
		for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
			policies.add(RateLimitPolicy.of(algorithm.id(), RoomyLimits.of(algorithm, 1000, MINUTE)));
		}
		RateLimit counted = TestPolicies.countingRejected(1000, MINUTE);
		policies.add(RateLimitPolicy.of("nodelay",
				RateLimit.builder(LEAKY_BUCKET).limit(1000).window(MINUTE).burst(999L).nodelay(true).build()));
		policies.add(RateLimitPolicy.of("count-rejected", counted));
		policies.add(RateLimitPolicy.of("two", RateLimit.of(TOKEN_BUCKET, 1000, MINUTE),
				RateLimit.of(FIXED_WINDOW_COUNTER, 1500, MINUTE)));
		policies.add(RateLimitPolicy.of("three", RateLimit.of(SLIDING_WINDOW_COUNTER, 2000, MINUTE),
				RateLimit.of(SLIDING_WINDOW_LOG, 1500, MINUTE), RoomyLimits.of(LEAKY_BUCKET, 1000, MINUTE)));
		policies.add(RateLimitPolicy.of("two, count-rejected", RateLimit.of(TOKEN_BUCKET, 1500, MINUTE), counted));
		return policies.stream();
	}

	static Stream<RateLimitPolicy> policiesWithoutQueues() {
		return policies().filter((policy) -> !policy.delays());
	}

	@ParameterizedTest
	@MethodSource("policies")
	void threadsAreToldWhatOneWouldBeAlsoBesideLooksAndTheSweep(RateLimitPolicy policy) {
		PolicyDecider states = this.store.open(policy);
		List<String> alone = ask(states, "alone", (THREADS - 2) * ASKED);
		AtomicLong busy = new AtomicLong(THREADS - 2);
		List<String> together = Threads.run(THREADS, (number) -> {
			if (number >= 2) {
				List<String> answers = ask(states, "together", ASKED);
				busy.decrementAndGet();
				return answers;
			}
			while (busy.get() > 0) {
				if (number == 0) {
					this.store.forgetIdle();
				}
				else {
					assertThat(states.decide("together", 0).remaining()).isBetween(0L, policy.capacity());
				}
			}
			return List.<String>of();
		}).stream().flatMap(List::stream).toList();
		assertThat(together.stream().sorted()).containsExactlyElementsOf(alone.stream().sorted().toList());
	}

	private static List<String> ask(PolicyDecider states, String key, int times) {
		List<String> answers = new ArrayList<>(times);
		for (int i = 0; i < times; i++) {
			answers.add(Decisions.describe(states.decide(key, 1)));
		}
		return answers;
	}

	@ParameterizedTest
	@MethodSource("policies")
	void requestsOfSeveralPermitsNeverTakeMoreThanThereIs(RateLimitPolicy policy) {
		PolicyDecider states = this.store.open(policy);
		List<long[]> totals = Threads.run(THREADS, (number) -> {
			long[] total = { 0, Long.MAX_VALUE };
			for (int i = 0; i < ASKED; i++) {
				long permits = 1 + (i * 7 + number) % 9;
				if (states.decide("key", permits).allowed()) {
					total[0] += permits;
				}
				else {
					total[1] = Math.min(total[1], permits);
				}
			}
			return total;
		});
		long taken = totals.stream().mapToLong((total) -> total[0]).sum();
		long leastRejected = totals.stream().mapToLong((total) -> total[1]).min().orElseThrow();
		assertThat(taken).isLessThanOrEqualTo(policy.capacity());
		if (policy.limits().stream().noneMatch(RateLimit::countRejected)) {
			assertThat(taken).isGreaterThan(policy.capacity() - leastRejected);
		}
		assertThat(states.decide("key", 0).remaining()).isLessThanOrEqualTo(policy.capacity() - taken);
	}

	@RepeatedTest(10)
	void aLookSeesAllLimitsAtOneMoment() {
		PolicyDecider states = this.store
			.open(RateLimitPolicy.of("several", RateLimit.of(SLIDING_WINDOW_LOG, 4000, MINUTE),
					RateLimit.of(SLIDING_WINDOW_COUNTER, 4000, MINUTE), RateLimit.of(TOKEN_BUCKET, 4000, MINUTE)));
		Threads.run(THREADS, (number) -> {
			for (int i = 0; i < ASKED; i++) {
				RateLimitDecision decision = states.decide("key", number % 2);
				assertThat(decision.limits()).extracting(LimitStatus::remaining).containsOnly(decision.remaining());
			}
			return null;
		});
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aResetForgivesOnceAndNoMore(RateLimitPolicy policy) {
		PolicyDecider states = this.store.open(policy);
		AtomicBoolean done = new AtomicBoolean();
		int resets = 20;
		long allowed = Threads.sum(THREADS, (number) -> {
			long own = 0;
			if (number == 0) {
				for (int i = 0; i < resets; i++) {
					while (states.decide("key", 0).remaining() > policy.capacity() / 2) {
						Thread.onSpinWait();
					}
					states.reset("key");
				}
				done.set(true);
			}
			boolean last = false;
			while (number > 0 && !last) {
				last = done.get();
				for (int i = 0; i < policy.capacity(); i++) {
					own += states.decide("key", 1).allowed() ? 1 : 0;
				}
			}
			return own;
		});
		assertThat(allowed).isBetween(policy.capacity() * resets / 2, policy.capacity() * (resets + 1));
		assertThat(states.decide("key", 0).remaining()).isZero();
	}

	@ParameterizedTest
	@MethodSource("policies")
	void onlyEvictionsThatAreCountedForgive(RateLimitPolicy policy) {
		int keys = 12;
		try (LocalRateLimitStore small = new LocalRateLimitStore(this.clock, 5)) {
			PolicyDecider states = small.open(policy);
			long allowed = Threads.sum(THREADS, (number) -> {
				long own = 0;
				for (int i = 0; i < 10 * ASKED; i++) {
					own += states.decide("key" + (i / 100 + number) % keys, 3).allowed() ? 3 : 0;
				}
				return own;
			});
			assertThat(states.keys()).isLessThanOrEqualTo(5);
			assertThat(states.evictions()).isPositive();
			assertThat(allowed).isLessThanOrEqualTo(policy.capacity() * (keys + states.evictions()));
		}
	}

	@ParameterizedTest
	@MethodSource("policiesWithoutQueues")
	void whatEverybodyRefundsIsThereAgain(RateLimitPolicy policy) {
		PolicyDecider states = this.store.open(policy);
		boolean countsRejections = policy.limits().stream().anyMatch(RateLimit::countRejected);
		RateLimitDecision fresh = states.decide("key", 0);
		AtomicLong held = new AtomicLong();
		Threads.run(THREADS, (number) -> {
			for (int i = 0; i < ASKED; i++) {
				long permits = countsRejections ? 100 : 150;
				RateLimitDecision given = states.decide("key", permits);
				if (given.allowed()) {
					assertThat(held.addAndGet(permits)).isLessThanOrEqualTo(policy.capacity());
					held.addAndGet(-permits);
					states.refund("key", permits, given);
				}
			}
			return null;
		});
		assertThat(Decisions.describe(states.decide("key", 0))).isEqualTo(Decisions.describe(fresh));
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aRunningClockGivesNobodyMore(RateLimitPolicy policy) {
		PolicyDecider states = this.store.open(policy);
		long begin = this.clock.nanos();
		AtomicLong busy = new AtomicLong(THREADS - 1);
		long allowed = Threads.sum(THREADS, (number) -> {
			long own = 0;
			for (int i = 0; number > 0 && i < 10 * ASKED; i++) {
				own += states.decide("key", 1).allowed() ? 1 : 0;
			}
			busy.decrementAndGet();
			while (number == 0 && busy.get() > 0) {
				this.clock.advanceNanos(MINUTE.toNanos() / 20_000);
				Thread.onSpinWait();
			}
			return own;
		});
		long windows = (this.clock.nanos() - begin) / MINUTE.toNanos();
		assertThat(allowed).isLessThanOrEqualTo(policy.capacity() * (windows + 2));
	}

	/**
	 * The largest limit that a single word counts needs a new base after 31 windows.
	 */
	@Test
	void nothingIsForgottenWhenManyFindThatAStateNeedsANewBase() {
		Duration window = Duration.ofMinutes(10);
		PolicyDecider states = this.store
			.open(RateLimitPolicy.of("large", RateLimit.of(SLIDING_WINDOW_COUNTER, (1L << 29) - 1, window)));
		long share = ((1L << 29) - 1) / 3000;
		states.decide("key", share);
		for (int round = 0; round < 20; round++) {
			this.clock.advance(window.multipliedBy(30));
			assertThat(states.decide("key", 1000 * share).allowed()).isTrue();
			this.clock.advance(window);
			long allowed = Threads.sum(THREADS, (number) -> {
				long own = 0;
				for (int i = 0; i < ASKED; i++) {
					own += states.decide("key", share).allowed() ? 1 : 0;
				}
				return own;
			});
			assertThat(allowed).isEqualTo(2000);
		}
	}

	@RepeatedTest(20)
	void severalPoliciesGiveAllOrNothing() {
		RateLimiterRegistry limiter = new StoreRateLimiterRegistry(this.store, List.of());
		List<PermitRequest> requests = Stream
			.of(RateLimitPolicy.of("token", RateLimit.of(TOKEN_BUCKET, 700, MINUTE)),
					RateLimitPolicy.of("log", RateLimit.of(SLIDING_WINDOW_LOG, 600, MINUTE)),
					RateLimitPolicy.of("several", RateLimit.of(SLIDING_WINDOW_COUNTER, 500, MINUTE),
							RateLimit.of(FIXED_WINDOW_COUNTER, 800, MINUTE)))
			.map((policy) -> PermitRequest.of(limiter.register(policy), "key", 1))
			.toList();
		long allowed = Threads.sum(THREADS, (number) -> {
			long own = 0;
			for (int i = 0; i < ASKED; i++) {
				own += new Acquisition(new WaitingRoom(this.clock, 9)).take(requests) ? 1 : 0;
			}
			return own;
		});
		assertThat(allowed).isEqualTo(500);
		assertThat(requests).extracting((request) -> request.limiter().peek("key").remaining())
			.containsExactly(200L, 100L, 0L);
	}

}
