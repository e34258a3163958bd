package io.github.ratelimit;

/**
 * A clock that can run something while it is asked for the time. It answers with the time
 * from before, as a thread gets it that loses its processor there.
 */
public final class InterruptedClock implements RateLimitClock {

	private final RateLimitClock clock;

	private Runnable interruption = () -> {
	};

	public InterruptedClock(RateLimitClock clock) {
		this.clock = clock;
	}

	/**
	 * Runs something while the clock is asked the next time.
	 */
	public void interruptOnce(Runnable interruption) {
		this.interruption = interruption;
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

	@Override
	public boolean isMonotonic() {
		return this.clock.isMonotonic();
	}

}
