package io.github.ratelimit.simulation;

import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.PolicyDecider;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one client.
 *
 * @param arrivals when they arrive, in milliseconds since the beginning
 * @param costs how many permits they cost, or {@code null} if each costs one
 */
record Traffic(long[] arrivals, long @Nullable [] costs) {

	private static final String CLIENT = "client";

	private static final long NANOS_PER_MILLI = 1_000_000;

	private static final int DECISIONS_PER_CHECK = 16;

	/**
	 * Decides on all requests, the first of which come in the next window.
	 * @param limit the limit
	 * @param states decides
	 * @param clock the clock by which it does, which is moved
	 * @param deadline when to give up
	 */
	SimulatedLimit under(RateLimit limit, PolicyDecider states, AtomicLong clock, Simulation.TimeLimit deadline)
			throws TimeoutException {
		long window = limit.window().toNanos();
		long start = (clock.get() / window + 1) * window;
		long[] delays = new long[this.arrivals.length];
		for (int i = 0; i < delays.length; i++) {
			if (i % DECISIONS_PER_CHECK == 0) {
				deadline.check();
			}
			clock.set(start + this.arrivals[i] * NANOS_PER_MILLI);
			RateLimitDecision decision = states.decide(CLIENT, (this.costs != null) ? this.costs[i] : 1);
			delays[i] = decision.allowed() ? decision.delayNanos() : SimulatedLimit.REJECTED;
		}
		return new SimulatedLimit(limit, delays);
	}

}
