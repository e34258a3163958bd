package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.JointDecision;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * The common part of the two buckets: a level that each permit raises by its cost, up to
 * the full level, and that drains at the limit's rate.
 * <p>
 * The word is the moment, in units since the base, at which the level will have drained
 * to nothing. This is the generic cell rate algorithm in its virtual scheduling form
 * (ITU-T I.371, annex A): the moment is its theoretical arrival time.
 */
abstract sealed class MeteredAlgorithm extends WordAlgorithm permits TokenBucket, LeakyBucket {

	final ExactRate rate;

	/* Of the rate, without a further object on the way of each decision. */
	private final long cost;

	private final long scale;

	private final Tick resolution;

	private final long full;

	/* The highest level, which is above the full one where there are debts. */
	private final long highest;

	private final long horizon;

	private final long end;

	MeteredAlgorithm(RateLimit limit, Tick resolution, boolean debts) {
		super(limit, resolution);
		this.resolution = resolution;
		this.rate = ExactRate.of(limit, resolution, debts);
		this.cost = this.rate.cost();
		this.scale = this.rate.scale();
		this.full = limit.capacity() * this.rate.cost();
		this.highest = mostTaken(limit, debts) * this.rate.cost();
		this.horizon = (1L << resolution.bits()) / this.rate.scale();
		this.end = this.horizon + this.rate.ticks(this.highest);
	}

	/*
	 * An algorithm with a smaller capacity, on the state of the original.
	 */
	MeteredAlgorithm(MeteredAlgorithm original, long capacity) {
		super(original, capacity);
		this.resolution = original.resolution;
		this.rate = original.rate;
		this.cost = original.cost;
		this.scale = original.scale;
		this.full = capacity * this.rate.cost();
		this.highest = original.highest;
		this.horizon = original.horizon;
		this.end = original.end;
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * The level in permits is the same, rounded up to a whole unit.
	 */
	@Override
	final long[] createAfter(Algorithm before, long[] old, int oldAt, long now) {
		if (before.getClass() != getClass()) {
			return create(now);
		}
		MeteredAlgorithm other = (MeteredAlgorithm) before;
		long level = other.level(old[oldAt], old[oldAt + 1], now);
		if (this.rate.equals(other.rate) && level <= this.highest) {
			return new long[] { old[oldAt], old[oldAt + 1] };
		}
		return new long[] { now,
				Math.min(this.highest, this.resolution.scaled(level, other.rate.cost(), this.rate.cost())) };
	}

	@Override
	final boolean knowsMomentsOf(Algorithm before) {
		return before.getClass() == getClass() && ((MeteredAlgorithm) before).rate.equals(this.rate)
				&& ((MeteredAlgorithm) before).highest <= this.highest;
	}

	/**
	 * The wait of a request that has raised the level.
	 * @param level the level after the request, in units
	 * @return the wait in units
	 */
	abstract long delay(long level);

	@Override
	public final long initialWord(long now) {
		return 0;
	}

	@Override
	public final long take(long base, long word, long now, long permits) {
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
	public final long charge(long base, long word, long now, long permits) {
		long level = level(base, word, now);
		boolean fits = permits <= (this.highest - level) / this.cost;
		return Math.max(word, units(base, now) + (fits ? level + permits * this.cost : this.highest));
	}

	@Override
	public final long delayNanos(long base, long word, long now, long permits) {
		return nanos(this.rate.ticks(delay(level(base, word, now) + permits * this.cost)));
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * The part that has drained meanwhile is not refunded: a full bucket would have lost
	 * it.
	 */
	@Override
	long refund(long base, long word, long now, long permits, RateLimitReceipt given, int limit) {
		if (tickOf(given, limit) < base) {
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
	public final boolean isIdle(long base, long word, long now) {
		return level(base, word, now) == 0;
	}

	@Override
	final RateLimitDecision decision(long base, long word, long now, long permits, boolean allowed,
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
	public final boolean needsRebase(long base, long now) {
		return now - base > this.horizon;
	}

	@Override
	public final long rebase(long base, long word, long now) {
		return level(base, word, now);
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
