package io.github.ratelimit.algorithm;

import java.time.Duration;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.CombinedDecision;
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
 * A token bucket that reserves is filled above its capacity, with the tokens that arrive
 * while its requests wait.
 * <p>
 * The word is the moment, in units since the base, at which the level will have drained
 * to nothing. This is the generic cell rate algorithm in its virtual scheduling form
 * (ITU-T I.371, annex A): the moment is its theoretical arrival time.
 */
final class Bucket extends WordAlgorithm {

	private final RateLimit limit;

	private final boolean debts;

	private final Duration maxWait;

	/* Whether requests wait, so that only the last one can be refunded. */
	private final boolean queues;

	private final ExactRate rate;

	/* Of the rate, without a further object on the way of each decision. */
	private final long cost;

	private final long scale;

	/* The highest level that a request may raise it to. */
	private final long full;

	/* What remains of it is told: the full level, without what is reserved. */
	private final long open;

	/* The highest level, which is above the full one where there are debts. */
	private final long highest;

	/* A request that raises the level no higher need not wait. */
	private final long undelayed;

	private final long horizon;

	private final long end;

	Bucket(RateLimit limit, Tick resolution, boolean debts, Duration maxWait) {
		this(limit, resolution, debts, maxWait, true);
	}

	private Bucket(RateLimit limit, Tick resolution, boolean debts, Duration maxWait, boolean delays) {
		super(limit, resolution);
		this.limit = limit;
		this.debts = debts;
		this.maxWait = maxWait;
		this.queues = limit.delays() || !maxWait.isZero();
		this.rate = ExactRate.of(limit, resolution, debts, maxWait);
		this.cost = this.rate.cost();
		this.scale = this.rate.scale();

		long reserved = resolution.ticks(maxWait) * this.scale;
		this.highest = maxTaken(limit, debts) * this.cost + reserved;
		this.undelayed = undelayed(this.highest);
		long all = this.capacity * this.cost;
		if (delays) {
			this.open = all;
			this.full = all + reserved;
		}
		else {
			this.open = Math.min(all, this.undelayed);
			this.full = this.open;
		}

		this.horizon = (1L << resolution.bits()) / this.scale;
		this.end = this.horizon + ticks(this.highest);
	}

	private long undelayed(long highest) {
		if (this.limit.delays()) {
			return (this.limit.delay() + 1) * this.cost;
		}
		if (this.queues) {
			return this.capacity * this.cost;
		}
		// nobody waits
		return highest;
	}

	@Override
	public Algorithm withoutDelays() {
		if (!this.queues) {
			return this;
		}
		return new Bucket(this.limit, this.resolution, this.debts, this.maxWait, false);
	}

	@Override
	long[] createAfter(Algorithm before, long[] old, int oldAt, long now) {
		Bucket other = (Bucket) before;
		long base = old[oldAt];
		long word = old[oldAt + 1];
		long level = other.level(base, word, now);
		if (!this.rate.equals(other.rate)) {
			return new long[] { now, Math.min(this.highest, this.resolution.scaled(level, other.cost, this.cost)) };
		}
		if (level > this.highest || needsRebase(base, now)) {
			return new long[] { now, Math.min(this.highest, level) };
		}
		return new long[] { base, word };
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
		if (permits > this.capacity) {
			return REJECTED;
		}

		long units = units(now - base);
		long raised = Math.max(units, word) + permits * this.cost;
		return (raised - units <= this.full) ? raised : REJECTED;
	}

	@Override
	public long charge(long base, long word, long now, long permits) {
		long level = level(base, word, now);
		long charged = this.highest;
		if (permits <= (this.highest - level) / this.cost) {
			charged = level + permits * this.cost;
		}
		return Math.max(word, units(now - base) + charged);
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * The part that has drained meanwhile is not refunded: a full bucket would have lost
	 * it. Where requests wait, only the last one in the queue can give its position back:
	 * later ones have been promised the positions behind any other, and two of them would
	 * leave at once.
	 */
	@Override
	public long refund(long base, long word, long now, long permits, RateLimitReceipt given, int limit) {
		long takenAt = this.resolution.takenAt(given, limit) - base;
		long drained = takenAt + this.resolution.resetAfter(given, limit);
		boolean isLast = drained == ticks(word);
		if (takenAt < 0 || (this.queues && !isLast)) {
			return word;
		}

		// the permits alone: exact if no other request came since, else a tick early
		long end = word;
		if (!isLast) {
			end = Math.max(units(takenAt) + permits * this.cost, (drained - 1) * this.scale);
		}
		long left = Math.min(word, end) - units(now - base);
		return word - Math.max(0, Math.min(left, permits * this.cost));
	}

	@Override
	public RateLimitDecision decision(long base, long word, long now, long permits, boolean allowed,
			@Nullable CombinedDecision combined) {
		long level = level(base, word, now);
		long free = this.open - level;
		long remaining = (free < this.cost) ? 0 : free / this.cost;
		long next = (level == 0) ? 0 : ticks((remaining + 1) * this.cost - free);

		long wait = 0;
		if (!allowed) {
			wait = untilFree(permits, this.full - level);
		}
		else if (level > this.undelayed && permits != 0) {
			wait = ticks(level - this.undelayed);
		}

		return this.resolution.decision(now, allowed, remaining, wait, ticks(level), next, combined);
	}

	private long untilFree(long permits, long free) {
		if (permits > this.capacity) {
			return RateLimitDecision.NEVER;
		}
		return ticks(permits * this.cost - free);
	}

	@Override
	public boolean needsRebase(long base, long now) {
		return now - base > this.horizon;
	}

	private long level(long base, long word, long now) {
		return Math.max(0, word - units(now - base));
	}

	/*
	 * A bucket that is filled at the horizon has drained at the end, so that all levels
	 * are 0 there.
	 */
	private long units(long ticks) {
		return Math.max(0, Math.min(ticks, this.end)) * this.scale;
	}

	/*
	 * The first whole tick at which the units have drained.
	 */
	private long ticks(long units) {
		return (this.scale == 1) ? units : (units + this.scale - 1) / this.scale;
	}

}
