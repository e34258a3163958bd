package io.github.ratelimit.simulation;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import org.jspecify.annotations.Nullable;

/**
 * Simulates limits that decide on the requests of one client, each limit as if it were
 * alone. Traffic begins where a window of the limit begins.
 *
 * @since 0.1.0
 */
public final class Simulation {

	/** The largest number of requests. */
	public static final int MAX_REQUESTS = 10_000;

	/** The largest number of limits. */
	public static final int MAX_LIMITS = 5;

	/** The longest time that a computation may take. */
	public static final Duration MAX_COMPUTATION = Duration.ofMillis(50);

	/* Bounds the memory of a log, and the time that one decision takes. */
	private static final long MAX_PERMITS = 100_000;

	/* More than the heaviest keys take. */
	private static final long MEMORY = 32 << 20;

	private static final String CLIENT = "client";

	private static final long NANOS_PER_MILLI = 1_000_000;

	private static final int DECISIONS_PER_CHECK = 16;

	private static final long SOME_DAY = Duration.ofDays(20_000).toNanos();

	private static final Duration MAX_TRAFFIC = Duration.ofDays(31);

	private final List<RateLimit> limits;

	/* The milliseconds since the beginning at which requests come. */
	private final long[] arrivals;

	private final long[] costs;

	/**
	 * Creates a simulation.
	 * @param limits the limits, from 1 to 5, of at most 100,000 permits each
	 * @param gaps how many milliseconds each request comes after the one before it, or
	 * after the beginning, at most 31 days together
	 * @param costs how many permits each request costs, from 1; {@code null} if all cost
	 * one
	 * @throws InvalidRateLimitException if something is out of its range
	 */
	public Simulation(List<RateLimit> limits, long[] gaps, long @Nullable [] costs) {
		this.limits = List.copyOf(limits);
		checkLimits();

		if (costs != null && costs.length != gaps.length) {
			throw new InvalidRateLimitException("costs", costs.length + " entries",
					"has not as many entries as gaps, which has " + gaps.length,
					"Give each request its cost, or leave costs out.");
		}

		this.arrivals = arrivals(gaps);
		this.costs = costs(costs, gaps.length);
	}

	private void checkLimits() {
		if (this.limits.isEmpty() || this.limits.size() > MAX_LIMITS) {
			throw new InvalidRateLimitException("limits", this.limits.size() + " entries", "is out of range",
					"Give 1 to " + MAX_LIMITS + " limits.");
		}

		for (int i = 0; i < this.limits.size(); i++) {
			RateLimit limit = this.limits.get(i);
			if (limit.calendar() != null) {
				throw new InvalidRateLimitException("zone", limit.calendar().zone(), "is not simulated",
						"Give the window as a duration, without a zone.")
					.inLimit(i);
			}
			checkPermits("limit", limit.limit(), i);
			checkPermits("burst", limit.burst(), i);
		}
	}

	private static void checkPermits(String attribute, long permits, int index) {
		if (permits > MAX_PERMITS) {
			throw new InvalidRateLimitException(attribute, permits, "is too large for a simulation",
					"Use at most " + MAX_PERMITS + ".")
				.inLimit(index);
		}
	}

	private static long[] arrivals(long[] gaps) {
		if (gaps.length > MAX_REQUESTS) {
			throw new InvalidRateLimitException("gaps", gaps.length + " entries", "is out of range",
					"Simulate at most " + MAX_REQUESTS + " requests.");
		}

		long[] arrivals = new long[gaps.length];
		long arrival = 0;
		long last = MAX_TRAFFIC.toMillis();
		for (int i = 0; i < gaps.length; i++) {
			if (gaps[i] < 0 || gaps[i] > last - arrival) {
				throw new InvalidRateLimitException("gaps[" + i + "]", gaps[i], "is out of range",
						"Give the milliseconds since the request before, from 0; all gaps together may be 31 days.");
			}
			arrival += gaps[i];
			arrivals[i] = arrival;
		}
		return arrivals;
	}

	private static long[] costs(long @Nullable [] given, int requests) {
		long[] costs = new long[requests];
		for (int i = 0; i < requests; i++) {
			costs[i] = 1;
			if (given != null) {
				costs[i] = given[i];
			}
			if (costs[i] < 1 || costs[i] > MAX_PERMITS) {
				throw new InvalidRateLimitException("costs[" + i + "]", costs[i], "is out of range",
						"Give the permits that the request costs, from 1 to " + MAX_PERMITS + ".");
			}
		}
		return costs;
	}

	/**
	 * Computes what becomes of the requests. Nothing is shared with other simulations.
	 * @return the outcomes under each limit, in their order
	 * @throws TimeoutException if it takes longer than {@link #MAX_COMPUTATION}
	 */
	public List<SimulatedLimit> run() throws TimeoutException {
		return run(processorTime());
	}

	/**
	 * Computes what becomes of the requests, by another stopwatch.
	 * @param stopwatch measures how long the computation takes
	 * @return the outcomes under each limit, in their order
	 * @throws TimeoutException if it takes longer than {@link #MAX_COMPUTATION}
	 */
	public List<SimulatedLimit> run(RateLimitClock stopwatch) throws TimeoutException {
		List<SimulatedLimit> outcomes = new ArrayList<>();
		AtomicLong clock = new AtomicLong(SOME_DAY);
		try (LocalRateLimitStore store = new LocalRateLimitStore(clock::get, 1, MEMORY)) {
			List<PolicyDecider> deciders = this.limits.stream()
				.map((limit) -> store.open(RateLimitPolicy.of("simulation", limit)))
				.toList();
			// the first time, its classes have been loaded by now
			long end = stopwatch.nanos() + MAX_COMPUTATION.toNanos();
			for (int i = 0; i < deciders.size(); i++) {
				outcomes.add(run(this.limits.get(i), deciders.get(i), clock, stopwatch, end));
			}
		}
		return outcomes;
	}

	/*
	 * The first requests come at the beginning of the next window.
	 */
	private SimulatedLimit run(RateLimit limit, PolicyDecider decider, AtomicLong clock, RateLimitClock stopwatch,
			long end) throws TimeoutException {
		long window = limit.window().toNanos();
		long start = (clock.get() / window + 1) * window;
		long[] delays = new long[this.arrivals.length];
		long longest = 0;
		for (int i = 0; i < delays.length; i++) {
			if (i % DECISIONS_PER_CHECK == 0 && stopwatch.nanos() > end) {
				throw new TimeoutException("The computation takes too long");
			}

			clock.set(start + this.arrivals[i] * NANOS_PER_MILLI);
			RateLimitDecision decision = decider.decide(CLIENT, this.costs[i]);
			longest = Math.max(longest, decision.delayNanos());
			delays[i] = delay(decision);
		}
		return new SimulatedLimit(limit, delays, Duration.ofNanos(longest));
	}

	private static long delay(RateLimitDecision decision) {
		if (!decision.allowed()) {
			return SimulatedLimit.REJECTED;
		}
		return (decision.delayNanos() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
	}

	/**
	 * A stopwatch for the time for which the processor has worked for the current thread,
	 * so that nothing is given up because other threads are busy.
	 * @return the processor's time, or the system's where it is not known, as for virtual
	 * threads
	 */
	static RateLimitClock processorTime() {
		ThreadMXBean threads = ManagementFactory.getThreadMXBean();
		boolean known = threads.isCurrentThreadCpuTimeSupported() && threads.getCurrentThreadCpuTime() >= 0;
		if (known) {
			return threads::getCurrentThreadCpuTime;
		}
		return RateLimitClock.system();
	}

}
