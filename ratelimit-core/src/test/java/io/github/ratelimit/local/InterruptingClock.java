package io.github.ratelimit.local;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.MemoryBudget;
import io.github.ratelimit.test.ManualClock;

/**
 * A clock that can run something while it is asked for the time. It answers with the time
 * from before, as a thread gets it that loses its processor there.
 */
final class InterruptingClock implements RateLimitClock {

	private final ManualClock clock = ManualClock.atMidnight();

	private Runnable interruption = () -> {
	};

	/**
	 * Runs something while the clock is asked the next time.
	 */
	void interruptOnce(Runnable interruption) {
		this.interruption = interruption;
	}

	LocalDecider states(RateLimit... limits) {
		return states(new MemoryBudget(Long.MAX_VALUE), limits);
	}

	LocalDecider states(MemoryBudget memory, RateLimit... limits) {
		return new LocalDecider(RateLimitPolicy.of("policy", limits), new LocalKeys<>(this, 20, memory));
	}

	void advance(Duration by) {
		this.clock.advance(by);
	}

	@Override
	public long nanos() {
		long now = this.clock.nanos();
		Runnable interruption = this.interruption;
		this.interruption = () -> {
		};
		interruption.run();
		return now;
	}

}
