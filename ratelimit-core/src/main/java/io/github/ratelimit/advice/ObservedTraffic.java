package io.github.ratelimit.advice;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.advice.AdviceCalculation.Requests;
import io.github.ratelimit.policy.RequestObserver;
import io.github.ratelimit.support.ReadableText;

/**
 * Observes the callers of a policy, to give advice on its limits. It takes at most 2 MiB,
 * and keeps nothing of callers that are not sampled. Most requests are of those, and cost
 * a random number, a hash and three looks. Where callers that are sampled make very many,
 * only one request in two, four and so on is observed, and counts for as many.
 *
 * @since 0.1.0
 */
public final class ObservedTraffic implements RequestObserver {

	/*
	 * So many requests of 100 ms are observed that it takes about a hundredth of a
	 * processor at most.
	 */
	private static final int MAX_OBSERVED = 4096;

	private static final long PERIOD = 100_000_000;

	private static final int MAX_SKIPPED = (1 << 12) - 1;

	/* The other bits of a random number draw the busy callers. */
	private static final int SKIP_SHIFT = 20;

	private final RateLimitClock clock;

	private final IntSupplier random;

	private final int seed;

	private final CandidateGrid grid;

	private final RateLimitPolicy policy;

	private final CallerSample callers;

	private final LongAdder requests = new LongAdder();

	private final LongAdder leftOut = new LongAdder();

	private final ReentrantLock lock = new ReentrantLock();

	private final long start;

	/*
	 * So many requests are skipped for each that is observed; one less than a power of
	 * two.
	 */
	private volatile int skipped;

	private int observedInPeriod;

	private long period;

	private AdviceCalculation.Earlier earlier = new AdviceCalculation.Earlier(0, 0, new double[CandidateGrid.CELLS]);

	private AdviceCalculation.Earlier latest = this.earlier;

	private long nextEarlier;

	/**
	 * Begins to observe a policy.
	 * @param policy the policy
	 * @param clock gives the time
	 */
	public ObservedTraffic(RateLimitPolicy policy, RateLimitClock clock) {
		this(policy, RateLimitClock.monotonic(clock), () -> ThreadLocalRandom.current().nextInt());
	}

	ObservedTraffic(RateLimitPolicy policy, RateLimitClock clock, IntSupplier random) {
		this.clock = clock;
		this.random = random;
		this.seed = random.getAsInt();
		this.policy = policy;
		this.grid = CandidateGrid.around(policy.limits().get(0));
		this.callers = new CallerSample(this.grid);
		this.start = clock.nanos();
		this.period = this.start;
		this.nextEarlier = this.start + Math.min(this.grid.window, AdviceCalculation.MIN_TIME.toNanos());
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * While another one is observed, a request is only counted.
	 */
	@Override
	public void observe(String key, long permits) {
		int random = this.random.getAsInt();
		int skipped = this.skipped;
		if (((random >>> SKIP_SHIFT) & skipped) != 0) {
			return;
		}
		int weight = skipped + 1;
		this.requests.add(weight);

		// the key's own hash is known already; the result is never negative
		long hash = ReadableText.mix(key.hashCode() ^ this.seed) >>> 1;
		boolean drawn = this.callers.draws(random);
		if (!drawn && !this.callers.has(hash)) {
			return;
		}

		// the clock may be the application's own, and wait for something
		long now = this.clock.nanos();
		if (!this.lock.tryLock()) {
			this.leftOut.add(weight);
			return;
		}
		try {
			observe(hash, now, this.grid.units(permits), weight, drawn);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void observe(long hash, long now, int cost, int weight, boolean drawn) {
		this.leftOut.add(weight - 1);
		adapt(now);
		if (now >= this.nextEarlier) {
			this.earlier = this.latest;
			this.latest = new AdviceCalculation.Earlier(now - this.start, this.requests.sum(),
					this.callers.rejectedRequests());
			this.nextEarlier = now + (now - this.start);
		}
		this.callers.observe(hash, now, cost, weight, drawn);
	}

	private void adapt(long now) {
		this.observedInPeriod++;
		boolean tooMany = this.observedInPeriod > MAX_OBSERVED;
		if (!tooMany && now - this.period < PERIOD) {
			return;
		}

		if (tooMany) {
			this.skipped = Math.min((this.skipped << 1) | 1, MAX_SKIPPED);
		}
		else if (this.observedInPeriod < MAX_OBSERVED / 4) {
			this.skipped >>= 1;
		}
		this.observedInPeriod = 0;
		this.period = now;
	}

	/**
	 * What other limits would have done to the requests since the start. For as long as
	 * it takes to add that up, few requests are observed.
	 * @return the advice
	 */
	public Advice advice() {
		return calculation().advice();
	}

	private AdviceCalculation calculation() {
		this.lock.lock();
		try {
			Instant since = Instant.EPOCH.plusNanos(this.start);
			Duration time = Duration.ofNanos(Math.max(0, this.clock.nanos() - this.start));
			Requests counted = new Requests(this.requests.sum(), this.leftOut.sum());
			return new AdviceCalculation(this.policy, this.grid, since, time, counted, this.callers.summary(),
					this.earlier);
		}
		finally {
			this.lock.unlock();
		}
	}

}
