package io.github.ratelimit.local;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A clock that fails, as one of the application's own may, locks no key.
 */
@Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailingClockTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final List<List<RateLimit>> LIMITS = List.of(
			List.of(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, MINUTE)),
			List.of(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 5, MINUTE)),
			List.of(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, MINUTE),
					RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET).limit(60).window(MINUTE).burst(9L).build()));

	@ParameterizedTest
	@FieldSource("LIMITS")
	void aKeyIsDecidedOnAfterTheClockFailed(List<RateLimit> limits) {
		FailingClock clock = new FailingClock();
		try (LocalRateLimitStore store = new LocalRateLimitStore(clock, 10)) {
			PolicyDecider states = store.open(RateLimitPolicy.builder("calls").limits(limits).build());
			RateLimitDecision given = states.decide("ada", 1);
			clock.fails = true;
			for (Runnable call : List.<Runnable>of(() -> states.decide("ada", 1), () -> states.decide("ada", 0),
					() -> states.decideWithoutDelay("ada", 1), () -> states.refund("ada", 1, given),
					() -> states.settle("ada", 1, 2, given), () -> states.reset("ada"))) {
				assertThatIllegalStateException().isThrownBy(call::run);
			}
			clock.fails = false;
			assertThat(states.decide("ada", 0).remaining()).isEqualTo(4);
			assertThat(states.decide("ada", 1).remaining()).isEqualTo(3);
		}
	}

	private static final class FailingClock implements RateLimitClock {

		private boolean fails;

		@Override
		public long nanos() {
			if (this.fails) {
				throw new IllegalStateException("no time");
			}
			return 1_000_000_000;
		}

	}

}
