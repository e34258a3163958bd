package io.github.ratelimit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Time does not go back, whatever the application's clock does.
 */
class RateLimitClockTests {

	private final AtomicLong nanos = new AtomicLong(1000);

	private final RateLimitClock guarded = RateLimitClock.monotonic(this.nanos::get);

	@Test
	void timeGoesOnAfterEveryStepBack() {
		List<Long> moments = new ArrayList<>();
		for (long moment : new long[] { 1000, 400, 450, 100, 200, 2000 }) {
			this.nanos.set(moment);
			moments.add(this.guarded.nanos());
		}
		assertThat(moments).containsExactly(1000L, 1000L, 1050L, 1050L, 1150L, 2950L);
	}

	@Test
	void aClockThatPromisesNeverToGoBackIsNotGuarded() {
		RateLimitClock promising = new RateLimitClock() {
			@Override
			public long nanos() {
				return 0;
			}

			@Override
			public boolean isMonotonic() {
				return true;
			}
		};
		assertThat(RateLimitClock.monotonic(promising)).isSameAs(promising);
		assertThat(RateLimitClock.monotonic(this.guarded)).isSameAs(this.guarded);
		RateLimitClock system = RateLimitClock.system();
		assertThat(RateLimitClock.monotonic(system)).isSameAs(system);
	}

}
