package io.github.ratelimit.local;

import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.Threads;
import io.github.ratelimit.store.ForwardingDecider;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that cannot wait pass if they need not, and otherwise take nothing.
 */
class WithoutDelayTests {

	private static final int THREADS = 8;

	private final ManualClock clock = ManualClock.atMidnight();

	@AutoClose
	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 1000);

	@Test
	void onlyWhatWouldBeRejectedInAnyCaseIsCountedAsARejection() {
		Duration minute = Duration.ofMinutes(1);
		PolicyDecider states = this.store.open(RateLimitPolicy.of("counted", TestPolicies.countingRejected(5, minute),
				RateLimit.builder(LEAKY_BUCKET).limit(60).window(minute).burst(5L).build()));
		states.decide("key", 1);
		assertThat(states.decideWithoutDelay("key", 1).queueFull()).isTrue();
		assertThat(states.decide("key", 0).limits().get(0).remaining()).isEqualTo(4);
		assertThat(states.decideWithoutDelay("key", 5)).matches((decision) -> !decision.allowed())
			.matches((decision) -> !decision.queueFull());
		assertThat(states.decide("key", 0).limits().get(0).remaining()).isZero();
	}

	@Test
	void whatWouldHaveToWaitTakesNothingAndPassesWhenItNeedNotWait() {
		RandomCases.check(1000, (random) -> {
			RateLimitPolicy policy = policy(random);
			PolicyDecider states = this.store.open(policy);
			RateLimitDecision last = states.decide("key", 0);
			for (int i = 0; i < 20; i++) {
				long permits = RandomLimits.permits(random, last, policy.capacity());
				String before = Decisions.describe(states.decide("key", 0));
				last = states.decideWithoutDelay("key", permits);
				assertThat(last.delayNanos()).isZero();
				if (last.queueFull()) {
					assertThat(Decisions.describe(states.decide("key", 0))).isEqualTo(before);
					checkRetry(states, permits, last, policy);
				}
				last = random.nextBoolean() ? states.decide("key", permits) : last;
				this.clock.advanceNanos(RandomLimits.pause(random, last, policy.limits().get(0)));
			}
		});
	}

	/*
	 * A request of more permits than pass at once always has to wait.
	 */
	private void checkRetry(PolicyDecider states, long permits, RateLimitDecision rejection, RateLimitPolicy policy) {
		long retry = rejection.retryAfterNanos();
		assertThat(retry).isPositive();
		if (policy.limits().stream().anyMatch((limit) -> limit.delays() && permits > limit.delay() + 1)) {
			return;
		}
		assertThat(rejection.nextPermitAfterNanos()).isBetween(1L, retry);
		this.clock.advanceNanos(retry - 1);
		assertThat(states.decideWithoutDelay("key", permits).allowed()).isFalse();
		this.clock.advanceNanos(1);
		RateLimitDecision given = states.decideWithoutDelay("key", permits);
		assertThat(given.allowed()).isTrue();
		states.refund("key", permits, given);
	}

	private static RateLimitPolicy policy(Random random) {
		RateLimit queue = RandomLimits.any(random, LEAKY_BUCKET);
		return random.nextBoolean() ? RateLimitPolicy.of("queue", queue)
				: RateLimitPolicy.of("both", queue, RandomLimits.any(random, TOKEN_BUCKET));
	}

	@Test
	void onlyTheLimitThatWouldDelaySaysNo() {
		PolicyDecider states = this.store
			.open(RateLimitPolicy.of("both", queue(3, 1), RateLimit.of(SLIDING_WINDOW_LOG, 10, Duration.ofMinutes(1))));
		states.decide("key", 2);
		RateLimitDecision decision = states.decideWithoutDelay("key", 1);
		assertThat(decision.queueFull()).isTrue();
		assertThat(decision.remaining()).isZero();
		assertThat(decision.retryAfter()).isEqualTo(Duration.ofSeconds(1));
		assertThat(decision.limits()).extracting(LimitStatus::allowed).containsExactly(false, true);
		assertThat(decision.limits()).extracting(LimitStatus::remaining).containsExactly(0L, 8L);
		assertThat(states.decideWithoutDelay("key", 0).remaining()).isZero();
		assertThat(states.decide("key", 0).remaining()).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 4 })
	void aStoreThatKnowsNothingOfItRefundsWhatItTook(long permits) {
		PolicyDecider local = this.store.open(RateLimitPolicy.of("queue", queue(9, 0)));
		PolicyDecider plain = new ForwardingDecider(local);
		local.decide("key", 3);
		String before = Decisions.describe(local.decide("key", 0));
		RateLimitDecision decision = plain.decideWithoutDelay("key", permits);
		assertThat(decision.queueFull()).isTrue();
		assertThat(decision.allowed()).isFalse();
		assertThat(decision.retryAfter()).isEqualTo(Duration.ofSeconds(2 + permits));
		assertThat(Decisions.describe(local.decide("key", 0))).isEqualTo(before);
		assertThat(plain.decideWithoutDelay("other", 1).allowed()).isTrue();
	}

	static Stream<RateLimitPolicy> queues() {
		return Stream.of(RateLimitPolicy.of("queue", queue(1000, 10)), RateLimitPolicy.of("both", queue(1000, 10),
				RateLimit.of(SLIDING_WINDOW_LOG, 5000, Duration.ofHours(1))));
	}

	@ParameterizedTest
	@MethodSource("queues")
	void manyThreadsTakeWhatNeedNotWaitAndNoMore(RateLimitPolicy policy) {
		PolicyDecider states = this.store.open(policy);
		long allowed = Threads.sum(THREADS, (number) -> {
			long own = 0;
			for (int i = 0; i < 500; i++) {
				own += states.decideWithoutDelay("key", 1).allowed() ? 1 : 0;
			}
			return own;
		});
		assertThat(allowed).isEqualTo(11);
		assertThat(states.decide("key", 0).remaining()).isEqualTo(1001 - 11);
	}

	private static RateLimit queue(long burst, long delay) {
		return RateLimit.builder(LEAKY_BUCKET).limit(1).window(Duration.ofSeconds(1)).burst(burst).delay(delay).build();
	}

}
