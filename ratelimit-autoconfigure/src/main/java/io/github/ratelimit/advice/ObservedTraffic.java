package io.github.ratelimit.advice;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;

/**
 * What a policy has seen of its callers, from which it is advised: at most 2 MiB, and
 * nothing of callers that are not sampled. Most requests are of those, and cost a hash, a
 * random number and three looks.
 *
 * @since 0.1.0
 */
public final class ObservedTraffic {

	private static final int SAMPLED_CALLERS = 7168;

	private static final int FOLLOWED_CALLERS = 1280;

	private static final int BUSY_CALLERS = 768;

	private static final int TURNOVER_WINDOWS = 3;

	private static final long LEAST_TURNOVER = 3_000_000_000L;

	private static final int PENDING_CALLERS = 64;

	private static final int TRIES = 50;

	private final RateLimitClock clock;

	private final IntSupplier random;

	private final int seed;

	private final Ladder ladder;

	private final RateLimitPolicy policy;

	private final CallerSample callers;

	private final RequestSample followed;

	private final RejectedKeys rejectedKeys;

	private final PendingRequests[] pending = new PendingRequests[PENDING_CALLERS];

	private final LongAdder unobserved = new LongAdder();

	private final LongAdder dropped = new LongAdder();

	private final BriefLock lock = new BriefLock();

	private final long start;

	private long observed;

	private Earlier earlier;

	private Earlier latest;

	private long nextEarlier;

	ObservedTraffic(RateLimitPolicy policy, RateLimitClock clock, UnaryOperator<String> hash, boolean keepsKeys) {
		this(policy, clock, new RejectedKeys(hash, keepsKeys), () -> ThreadLocalRandom.current().nextInt(),
				ThreadLocalRandom.current().nextInt());
	}

	ObservedTraffic(RateLimitPolicy policy, RateLimitClock clock, RejectedKeys rejectedKeys, IntSupplier random,
			int seed) {
		this.clock = clock;
		this.random = random;
		this.seed = seed;
		this.policy = policy;
		this.ladder = Ladder.around(policy.limits().get(0));
		Drain drain = new Drain(this.ladder);
		this.callers = new CallerSample(this.ladder, drain, SAMPLED_CALLERS);
		this.followed = new RequestSample(this.ladder, drain, FOLLOWED_CALLERS, BUSY_CALLERS,
				Math.max(this.ladder.window * TURNOVER_WINDOWS, LEAST_TURNOVER));
		Arrays.setAll(this.pending, (i) -> new PendingRequests());
		this.rejectedKeys = rejectedKeys;
		this.start = clock.nanos();
		this.latest = new Earlier(0, 0, new double[Ladder.CELLS]);
		this.earlier = this.latest;
		this.nextEarlier = this.start + this.ladder.window;
	}

	/**
	 * Observes a request, whatever is decided on it. A request that other threads keep
	 * from being observed for a microsecond or two is only counted.
	 * @param key the key that is limited
	 * @param permits how many permits the request costs, from 1
	 */
	public void observe(String key, long permits) {
		long hash = hash(key);
		boolean drawn = this.followed.draws(this.random);
		if (!drawn && !this.callers.covers(hash) && !this.followed.mayFollow(hash)) {
			this.unobserved.increment();
			return;
		}
		// the clock may be the application's own, and wait for something
		long now = this.clock.nanos();
		if (!this.lock.tryLock(TRIES)) {
			this.dropped.increment();
			return;
		}
		try {
			observe(hash, now, drawn, this.ladder.units(permits));
		}
		finally {
			this.lock.unlock();
		}
	}

	private void observe(long hash, long now, boolean drawn, int cost) {
		this.observed++;
		if (now >= this.nextEarlier) {
			this.earlier = this.latest;
			this.latest = new Earlier(now - this.start, requests(), rejected());
			this.nextEarlier = now + (now - this.start);
		}
		PendingRequests pending = this.pending[(int) hash & PENDING_CALLERS - 1];
		if (!pending.add(hash, now, cost, drawn, this.ladder.tick)) {
			fold(pending);
			pending.start(hash, now, cost, drawn);
			if (drawn && !this.followed.mayFollow(hash)) {
				fold(pending);
			}
		}
	}

	private void fold(PendingRequests pending) {
		if (!pending.isEmpty()) {
			if (this.callers.covers(pending.hash)) {
				this.callers.observe(pending.hash, pending.time, pending.cost * pending.count);
			}
			this.followed.observe(pending);
			pending.clear();
		}
	}

	private long requests() {
		return this.unobserved.sum() + this.dropped.sum() + this.observed;
	}

	private double[] rejected() {
		for (PendingRequests pending : this.pending) {
			fold(pending);
		}
		return this.followed.rejected();
	}

	/*
	 * Of the key's own hash, which is known already. The finalizer of MurmurHash3. It is
	 * never negative.
	 */
	private long hash(String key) {
		long hash = (key.hashCode() ^ this.seed) * 0x9e3779b97f4a7c15L;
		hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
		hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
		return (hash ^ (hash >>> 33)) >>> 1;
	}

	/**
	 * Counts a rejection of a key.
	 * @param key the key
	 */
	void reject(String key) {
		this.rejectedKeys.add(key);
	}

	/**
	 * The keys that were rejected most since the start.
	 * @return the keys, most rejected first, at most 20
	 */
	public List<RejectedKey> rejectedKeys() {
		return this.rejectedKeys.most();
	}

	/**
	 * What other limits would have done to the requests since the start.
	 * @return the advice
	 */
	public Advice advice() {
		return new Advising(this.policy, this.ladder, observation()).advice();
	}

	/* For as long as it takes, few requests are observed. */
	private Observation observation() {
		this.lock.lock();
		try {
			double[] rejected = rejected();
			return new Observation(Instant.ofEpochSecond(0, this.start),
					Duration.ofNanos(Math.max(0, this.clock.nanos() - this.start)), this.callers.estimate(), requests(),
					this.dropped.sum(), this.callers.size(), this.callers.rejected(), rejected, this.earlier);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * What was observed until a moment between a quarter and the half of the time.
	 *
	 * @param nanos how long that was
	 * @param requests how many requests there were
	 * @param rejected how many would have been rejected, by burst and rate
	 */
	record Earlier(long nanos, long requests, double[] rejected) {
	}

	/**
	 * What was observed.
	 *
	 * @param since when it began
	 * @param time for how long
	 * @param callers how many callers there were
	 * @param requests how many requests there were
	 * @param dropped how many of them were only counted
	 * @param sampledCallers how many callers are in the sample
	 * @param rejectedCallers the shares of callers that would have been rejected
	 * @param rejected how many requests would have been rejected
	 * @param earlier the first part of it
	 */
	record Observation(Instant since, Duration time, long callers, long requests, long dropped, int sampledCallers,
			double[] rejectedCallers, double[] rejected, Earlier earlier) {
	}

}
