package io.github.ratelimit.local;

import java.time.Duration;

import io.github.ratelimit.InterruptedClock;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.MemoryBudget;
import io.github.ratelimit.test.ManualClock;

/**
 * An {@link InterruptedClock} that a test moves, and states on it.
 */
final class InterruptingClock implements RateLimitClock {

	private final ManualClock clock = ManualClock.atMidnight();

	private final InterruptedClock interrupted = new InterruptedClock(this.clock);

	/**
	 * Runs something while the clock is asked the next time.
	 */
	void interruptOnce(Runnable interruption) {
		this.interrupted.interruptOnce(interruption);
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
		return this.interrupted.nanos();
	}

}
