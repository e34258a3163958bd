package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.JointDecision;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * The two buckets: a level that each permit raises by its cost, up to the full level, and
 * that drains at the limit's rate.
 * <p>
 * In the token bucket, the level is the number of missing tokens: it starts full, refills
 * continuously, and tokens that arrive at a full bucket are lost. Source: J. S. Turner,
 * "New directions in communications (or which way to the information age?)", IEEE
 * Communications Magazine 24(10), 1986.
 * <p>
 * The leaky bucket is a queue: requests leave it at the limit's rate, in the order of
 * their arrival. Source: nginx, module {@code ngx_http_limit_req_module}. There a
 * request's <em>excess</em> is the content of the bucket before it, less the part that
 * has leaked; the request is rejected above {@code burst} and waits above {@code delay}.
 * The level is the excess and the request itself.
 * <p>
 * The word is the moment, in units since the base, at which the level will have drained
 * to nothing. This is the generic cell rate algorithm in its virtual scheduling form
 * (ITU-T I.371, annex A): the moment is its theoretical arrival time.
 */
final class Bucket extends WordAlgorithm {

	private final RateLimit limit;

	private final boolean debts;

	private final Tick resolution;

	private final ExactRate rate;

	/* Of the rate, without a further object on the way of each decision. */
	private final long cost;

	private final long scale;

	private final long full;

	/* The highest level, which is above the full one where there are debts. */
	private final long highest;

	/* A request that raises the level no higher need not wait. */
	private final long undelayed;

	private final long horizon;

	private final long end;

	Bucket(RateLimit limit, Tick resolution, boolean debts) {
		this(limit, limit.capacity(), resolution, debts);
	}

	private Bucket(RateLimit limit, long atOnce, Tick resolution, boolean debts) {
		super(limit, resolution);
		this.limit = limit;
		this.debts = debts;
		this.resolution = resolution;
		this.rate = ExactRate.of(limit, resolution, debts);
		this.cost = this.rate.cost();
		this.scale = this.rate.scale();
		this.full = atOnce * this.cost;
		this.highest = mostTaken(limit, debts) * this.cost;
		this.undelayed = limit.delays() ? (limit.delay() + 1) * this.cost : this.highest;
		this.horizon = (1L << resolution.bits()) / this.scale;
		this.end = this.horizon + this.rate.ticks(this.highest);
	}

	@Override
	public Algorithm withoutDelays() {
		return this.limit.delays() ? new Bucket(this.limit, this.limit.delay() + 1, this.resolution, this.debts) : this;
	}

	@Override
	long[] createAfter(Algorithm before, long[] old, int oldAt, long now) {
		Bucket other = (Bucket) before;
		long level = other.level(old[oldAt], old[oldAt + 1], now);
		if (this.rate.equals(other.rate) && level <= this.highest) {
			return new long[] { old[oldAt], old[oldAt + 1] };
		}
		return new long[] { now,
				Math.min(this.highest, this.resolution.scaled(level, other.rate.cost(), this.rate.cost())) };
	}

	@Override
	boolean knowsMomentsOf(Algorithm before) {
		Bucket other = (Bucket) before;
		return other.rate.equals(this.rate) && other.highest <= this.highest;
	}

	@Override
	public long initialWord(long now) {
		return 0;
	}

	@Override
	public long take(long base, long word, long now, long permits) {
		if (permits == 0) {
			return word;
		}
		if (permits > capacity()) {
			return REJECTED;
		}
		long units = units(base, now);
		long raised = Math.max(0, word - units) + permits * this.cost;
		return (raised <= this.full) ? units + raised : REJECTED;
	}

	@Override
	public long charge(long base, long word, long now, long permits) {
		long level = level(base, word, now);
		boolean fits = permits <= (this.highest - level) / this.cost;
		return Math.max(word, units(base, now) + (fits ? level + permits * this.cost : this.highest));
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * The part that has drained meanwhile is not refunded: a full bucket would have lost
	 * it. Where requests wait, only the last one in the queue can give its place back:
	 * later ones have been promised the places behind any other, and two of them would
	 * leave at once.
	 */
	@Override
	long refund(long base, long word, long now, long permits, RateLimitReceipt given, int limit) {
		long taken = tickOf(given, limit);
		if (taken < base || this.limit.delays()
				&& base + this.rate.ticks(word) != taken + given.resetAfterNanos(limit) / nanos(1)) {
			return word;
		}
		long left = Math.min(word, drained(base, word, permits, given, limit)) - units(base, now);
		return word - Math.max(0, Math.min(left, permits * this.cost));
	}

	/*
	 * The moment, in units since the base, at which the permits themselves will have
	 * drained: exact if no other request came since, otherwise at most a tick early.
	 */
	private long drained(long base, long word, long permits, RateLimitReceipt given, int limit) {
		long ticks = tickOf(given, limit) - base + given.resetAfterNanos(limit) / nanos(1);
		if (ticks == this.rate.ticks(word)) {
			return word;
		}
		long alone = units(base, tickOf(given, limit)) + permits * this.cost;
		return Math.max(alone, (ticks - 1) * this.scale);
	}

	@Override
	RateLimitDecision decision(long base, long word, long now, long permits, boolean allowed,
			@Nullable JointDecision joint) {
		long level = level(base, word, now);
		long free = Math.max(0, this.full - level);
		long remaining = (free < this.cost) ? 0 : free / this.cost;
		long reset = this.rate.ticks(level);
		long next = (level == 0) ? 0 : this.rate.ticks(level - (this.full - (remaining + 1) * this.cost));
		if (allowed) {
			return allowed(now, remaining, (permits != 0) ? this.rate.ticks(delay(level)) : 0, reset, next, joint);
		}
		long retry = (permits > capacity()) ? RateLimitDecision.NEVER
				: this.rate.ticks(level + permits * this.cost - this.full);
		return rejected(now, remaining, retry, reset, next, joint);
	}

	@Override
	public boolean needsRebase(long base, long now) {
		return now - base > this.horizon;
	}

	@Override
	public long rebase(long base, long word, long now) {
		return level(base, word, now);
	}

	/**
	 * The part of a level that has to drain before the request passes that has raised it.
	 */
	private long delay(long level) {
		return Math.max(0, level - this.undelayed);
	}

	private long level(long base, long word, long now) {
		return Math.max(0, word - units(base, now));
	}

	/*
	 * A bucket that is filled at the horizon has drained at the end, so that all levels
	 * are 0 there.
	 */
	private long units(long base, long now) {
		long ticks = Math.max(0, Math.min(now - base, this.end));
		return ticks * this.scale;
	}

}
