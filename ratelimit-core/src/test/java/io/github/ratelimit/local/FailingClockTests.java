package io.github.ratelimit.local;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.MemoryBudget;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A clock that fails, as one of the application's own may, locks no key.
 */
@Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailingClockTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final String NO_TIME = "no time";

	private static final List<List<RateLimit>> LIMITS = List.of(List.of(RateLimit.of(TOKEN_BUCKET, 5, MINUTE)),
			List.of(RateLimit.of(SLIDING_WINDOW_LOG, 5, MINUTE)), List.of(RateLimit.of(TOKEN_BUCKET, 5, MINUTE),
					RateLimit.builder(LEAKY_BUCKET).limit(60).window(MINUTE).burst(9L).build()));

	private static final List<BiConsumer<PolicyDecider, RateLimitDecision>> CALLS = List.of(
			(states, given) -> states.decide("ada", 1), (states, given) -> states.decide("ada", 0),
			(states, given) -> states.decideWithoutDelay("ada", 1), (states, given) -> states.refund("ada", 1, given),
			(states, given) -> states.settle("ada", 1, 2, given), (states, given) -> states.reset("ada"));

	@ParameterizedTest
	@FieldSource("LIMITS")
	void aKeyIsDecidedOnAfterTheClockFailed(List<RateLimit> limits) {
		check(limits, 0, (call) -> assertThatIllegalStateException().isThrownBy(call::run));
	}

	/*
	 * A call may ask the clock several times, each in another place.
	 */
	@ParameterizedTest
	@FieldSource("LIMITS")
	void aKeyIsDecidedOnWheneverACallWasLeftByTheClock(List<RateLimit> limits) {
		for (int answers = 1; answers < 5; answers++) {
			check(limits, answers, (call) -> {
				try {
					call.run();
				}
				catch (IllegalStateException ex) {
					assertThat(ex).hasMessage(NO_TIME);
				}
			});
		}
	}

	/*
	 * The second time is read while another key is evicted for it.
	 */
	@Test
	void theRoomForALargerLogIsFreeAgainIfItCannotBeMade() {
		FailingClock clock = new FailingClock();
		long maximum = 4 * (MemoryBudget.ofEntry(3) + SeqlockState.BYTES + KeyWeight.bytesOfWords(3));
		try (LocalRateLimitStore store = new LocalRateLimitStore(clock, 10, maximum)) {
			PolicyDecider states = store.open(RateLimitPolicy.of("calls", RateLimit.of(SLIDING_WINDOW_LOG, 5, MINUTE)));
			List.of("ada", "bob", "cyd", "dan").forEach((key) -> states.decide(key, 1));
			assertThat(store.memory().used()).isEqualTo(maximum);
			clock.answers = 1;
			assertThatIllegalStateException().isThrownBy(() -> states.decide("ada", 1));
			assertThat(store.memory().used()).isEqualTo(maximum);
		}
	}

	private static void check(List<RateLimit> limits, int answers, Consumer<Runnable> use) {
		CALLS.forEach((call) -> {
			FailingClock clock = new FailingClock();
			try (LocalRateLimitStore store = new LocalRateLimitStore(clock, 10)) {
				PolicyDecider states = store.open(RateLimitPolicy.builder("calls").limits(limits).build());
				RateLimitDecision given = states.decide("ada", 1);
				clock.answers = answers;
				use.accept(() -> call.accept(states, given));
				clock.answers = Integer.MAX_VALUE;
				long left = states.decide("ada", 0).remaining();
				assertThat(left).isBetween(3L, 5L);
				assertThat(states.decide("ada", 1).remaining()).isEqualTo(left - 1);
			}
		});
	}

	private static final class FailingClock implements RateLimitClock {

		private int answers = Integer.MAX_VALUE;

		@Override
		public long nanos() {
			if (this.answers-- <= 0) {
				throw new IllegalStateException(NO_TIME);
			}
			return 1_000_000_000;
		}

	}

}
