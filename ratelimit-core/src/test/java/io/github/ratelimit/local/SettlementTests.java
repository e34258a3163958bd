package io.github.ratelimit.local;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.Threads;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.model.Decisions;
import org.junit.jupiter.api.AutoClose;
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
 * Settlements in the local store: many at once, and of keys that are gone.
 */
class SettlementTests {

	private static final int THREADS = 64;

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final ManualClock clock = ManualClock.atMidnight();

	@AutoClose
	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 1000);

	static Stream<RateLimitPolicy> policies() {
		RateLimit counted = TestPolicies.countingRejected(40, MINUTE);
		return Stream.of(List.of(limit(TOKEN_BUCKET)), List.of(nodelay()), List.of(limit(FIXED_WINDOW_COUNTER)),
				List.of(limit(SLIDING_WINDOW_COUNTER)), List.of(limit(SLIDING_WINDOW_LOG)), List.of(counted),
				List.of(limit(SLIDING_WINDOW_LOG), limit(TOKEN_BUCKET), limit(SLIDING_WINDOW_COUNTER)),
				List.of(RateLimit.of(SLIDING_WINDOW_COUNTER, 1L << 28, Duration.ofHours(1)),
						limit(FIXED_WINDOW_COUNTER)))
			.map(SettlementTests::charged);
	}

	static Stream<RateLimitPolicy> policiesThatRejectWithoutATrace() {
		return policies().filter((policy) -> policy.limits().stream().noneMatch(RateLimit::countRejected));
	}

	private static RateLimit limit(RateLimitAlgorithm algorithm) {
		return RoomyLimits.of(algorithm, 40, MINUTE);
	}

	private static RateLimit nodelay() {
		return RateLimit.builder(LEAKY_BUCKET).limit(40).window(MINUTE).burst(39L).nodelay(true).build();
	}

	private static RateLimitPolicy charged(List<RateLimit> limits) {
		return RateLimitPolicy.builder("charged").charge("status").limits(limits).build();
	}

	@ParameterizedTest
	@MethodSource("policiesThatRejectWithoutATrace")
	void ofWhatManyReserveNeverMoreThanTheLimitIsHeldAndAllUnusedIsThereAgain(RateLimitPolicy policy) {
		PolicyDecider states = this.store.open(policy);
		AtomicLong held = new AtomicLong();
		long used = Threads.sum(THREADS, (number) -> {
			long own = 0;
			for (int i = 0; i < 50; i++) {
				RateLimitDecision given = states.decide("key", 3);
				if (given.allowed()) {
					assertThat(held.addAndGet(3)).isLessThanOrEqualTo(policy.capacity());
					long kept = (own == 0 && number % 16 == 0) ? 1 : 0;
					own += kept;
					held.addAndGet(kept - 3);
					states.settle("key", 3, kept, given);
				}
			}
			return own;
		});
		assertThat(used).isPositive();
		assertThat(states.decide("key", 0).remaining()).isEqualTo(policy.capacity() - used);
	}

	@ParameterizedTest
	@MethodSource("policies")
	void whatManyUseBeyondAddsUpToTheSameDebt(RateLimitPolicy policy) {
		PolicyDecider states = this.store.open(policy);
		RateLimitDecision given = states.decide("alone", 1);
		states.settle("alone", 1, THREADS, given);
		states.decide("together", 1);
		Threads.run(THREADS - 1, (number) -> {
			states.settle("together", 1, 2, given);
			return null;
		});
		assertThat(Decisions.describe(states.decide("together", 0)))
			.isEqualTo(Decisions.describe(states.decide("alone", 0)));
		assertThat(Decisions.describe(states.decide("together", 1)))
			.isEqualTo(Decisions.describe(states.decide("alone", 1)));
		this.clock.advanceNanos(states.decide("alone", 0).resetAfterNanos());
		assertThat(states.decide("together", policy.capacity()).allowed()).isTrue();
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aKeyThatIsGoneGetsTheDebtAndNothingElse(RateLimitPolicy policy) {
		PolicyDecider states = this.store.open(policy);
		RateLimitDecision given = states.decide("key", 1);
		states.reset("key");
		states.settle("key", 1, 0, given);
		states.settle("key", 1, 1, given);
		assertThat(states.keys()).isZero();
		states.settle("key", 1, 1 + 2 * policy.capacity(), given);
		assertThat(states.keys()).isEqualTo(1);
		RateLimitDecision look = states.decide("key", 0);
		assertThat(look.remaining()).isZero();
		this.clock.advanceNanos(look.nextPermitAfterNanos() - 1);
		assertThat(states.decide("key", 0).remaining()).isZero();
		this.clock.advanceNanos(1);
		assertThat(states.decide("key", 0).remaining()).isPositive();
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aKeyInDebtIsNotForgotten(RateLimitPolicy policy) {
		PolicyDecider states = this.store.open(policy);
		states.settle("key", 1, Long.MAX_VALUE, states.decide("key", 1));
		long reset = states.decide("key", 0).resetAfterNanos();
		this.clock.advanceNanos(reset - 1);
		this.store.forgetIdle();
		assertThat(states.keys()).isEqualTo(1);
		this.clock.advanceNanos(1);
		this.store.forgetIdle();
		assertThat(states.keys()).isZero();
	}

	/**
	 * Two counts of a large limit leave few bits for the window's number, which must not
	 * run over when a debt is made long after the key was new.
	 */
	@Test
	void aDebtIsMadeHoweverOldTheKeyIs() {
		long limit = (1L << 28) - 1;
		Duration window = Duration.ofMinutes(10);
		PolicyDecider states = this.store.open(charged(List.of(RateLimit.of(SLIDING_WINDOW_COUNTER, limit, window))));
		RateLimitDecision given = states.decide("key", 1);
		for (int i = 0; i < 200; i++) {
			this.clock.advance(window.multipliedBy(i));
			states.settle("key", 1, 1 + limit / 2, given);
			assertThat(states.decide("key", 0).remaining()).as("after %d windows", i)
				.isBetween(limit / 2, limit / 2 + 1);
			states.settle("key", 1, 1 + 2 * limit, given);
			RateLimitDecision deepest = states.decide("key", 1);
			assertThat(deepest.retryAfterNanos()).isBetween(window.toNanos() + 1, 2 * window.toNanos());
			this.clock.advance(window.multipliedBy(2));
		}
	}

}
