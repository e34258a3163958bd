package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.CombinedDecision;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * The sliding window counter: counts the permits of the current window and of the one
 * before, and admits what the {@link SlidingEstimate estimate} has room for.
 * <p>
 * The word holds the window's number, counted from the base's, the current count and, in
 * its low bits, the previous count. Counts of many bits leave few for the number, so that
 * the state needs a new base from time to time: after 31 windows with the largest limits
 * that fit, whose windows are longer than four minutes; after eight million windows with
 * a limit of a million.
 */
final class SlidingWindowCounter extends WordAlgorithm {

	private static final int MIN_NUMBER_BITS = 5;

	private final SlidingEstimate estimate;

	private final long limit;

	private final long maxTaken;

	private final long window;

	private final int intoBits;

	private final int countBits;

	private final long countMask;

	private final long horizon;

	SlidingWindowCounter(RateLimit limit, Tick resolution, boolean debts) {
		super(limit, resolution);
		this.estimate = new SlidingEstimate(limit, resolution);
		this.limit = limit.limit();
		this.maxTaken = maxTaken(limit, debts);
		this.window = resolution.ticks(limit.window());
		this.intoBits = bits(this.window);
		this.countBits = bits(this.maxTaken);
		this.countMask = (1L << this.countBits) - 1;
		long lastNumber = Long.MAX_VALUE >> (2 * this.countBits);
		this.horizon = Math.min(lastNumber, Long.MAX_VALUE / this.window) * this.window;
	}

	private static int bits(long number) {
		return Long.SIZE - Long.numberOfLeadingZeros(number);
	}

	/**
	 * Whether two counts leave enough bits of the word, which is not negative, for the
	 * window's number.
	 */
	static boolean fits(RateLimit limit, boolean debts) {
		return MIN_NUMBER_BITS + 2 * bits(maxTaken(limit, debts)) < Long.SIZE;
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * The number of the moment's window, and how far into it the moment is, so that
	 * finding the window needs no division.
	 */
	@Override
	public long base(long now) {
		return ((now / this.window) << this.intoBits) | (now % this.window);
	}

	private long moment(long base) {
		return (base >>> this.intoBits) * this.window + (base & ((1L << this.intoBits) - 1));
	}

	@Override
	public long initialWord(long now) {
		return 0;
	}

	SlidingCounts counts(long[] state, int at, long now) {
		long base = state[at];
		long moved = moved(base, state[at + 1], now);
		return new SlidingCounts(this.estimate, moment(base), index(base, moved), current(moved), previous(moved));
	}

	@Override
	long[] createAfter(Algorithm before, long[] old, int oldAt, long now) {
		SlidingCounts counts = SlidingCounts.of(before, old, oldAt, now).under(this.estimate, this.maxTaken, now);
		long base = baseFor(counts.made(), now, Math.max(now, counts.start()));
		long number = Math.max(0, counts.index() - (base >>> this.intoBits));
		return new long[] { base, word(number, counts.current(), counts.previous()) };
	}

	/*
	 * Nothing that was taken before a base's moment is refunded. The moment after now may
	 * lie in the next window: then the base names the present one and is as far into it
	 * as it is long, for which it has the bits. The window that counts may lie ahead
	 * where requests waited under other limits, and its number must fit the word as well.
	 */
	private long baseFor(long made, long now, long counting) {
		if (made > now) {
			return base(now) + 1;
		}
		long base = base(made);
		if (needsRebase(base, counting)) {
			return base(now);
		}
		return base;
	}

	@Override
	public long take(long base, long word, long now, long permits) {
		if (permits == 0) {
			return word;
		}

		long moved = moved(base, word, now);
		long held = this.estimate.held(now - index(base, moved) * this.window, current(moved), previous(moved));
		if (permits > this.limit - held) {
			return REJECTED;
		}
		return moved + (permits << this.countBits);
	}

	@Override
	public long charge(long base, long word, long now, long permits) {
		long moved = moved(base, word, now);
		long held = this.estimate.held(now - index(base, moved) * this.window, current(moved), previous(moved));
		long room = Math.max(0, this.maxTaken - held);
		return moved + (Math.min(permits, room) << this.countBits);
	}

	@Override
	public long refund(long base, long word, long now, long permits, RateLimitReceipt given, int limit) {
		if (this.resolution.takenAt(given, limit) < moment(base)) {
			return word;
		}

		long since = index(base, word) - this.resolution.passesAt(given, limit) / this.window;
		if (since == 0) {
			return word - (Math.min(permits, current(word)) << this.countBits);
		}
		if (since == 1) {
			return word - Math.min(permits, previous(word));
		}
		return word;
	}

	@Override
	public RateLimitDecision decision(long base, long word, long now, long permits, boolean allowed,
			@Nullable CombinedDecision combined) {
		long moved = moved(base, word, now);
		return this.estimate.explain(now, index(base, moved) * this.window, current(moved), previous(moved), permits,
				allowed, combined);
	}

	@Override
	public boolean needsRebase(long base, long now) {
		return now - (base >>> this.intoBits) * this.window >= this.horizon;
	}

	/*
	 * The word as of a moment's window, unless its own is later. A number that does not
	 * fit lies beyond the horizon, where both counts are 0 and no number matters.
	 */
	private long moved(long base, long word, long now) {
		long index = index(base, word);
		if (now - index * this.window < this.window) {
			return word;
		}

		long present = now / this.window;
		long previous = (present == index + 1) ? current(word) : 0;
		return word(present - (base >>> this.intoBits), 0, previous);
	}

	private long index(long base, long word) {
		return (base >>> this.intoBits) + (word >>> (2 * this.countBits));
	}

	private long current(long word) {
		return (word >>> this.countBits) & this.countMask;
	}

	private long previous(long word) {
		return word & this.countMask;
	}

	private long word(long number, long current, long previous) {
		return (((number << this.countBits) | current) << this.countBits) | previous;
	}

	/**
	 * The counts of a sliding window counter, however its words hold them.
	 *
	 * @param estimate estimates what the sliding window holds
	 * @param made since when permits that were taken can be refunded
	 * @param index the current window's number
	 * @param current what it has counted
	 * @param previous what the window before has counted
	 */
	record SlidingCounts(SlidingEstimate estimate, long made, long index, long current, long previous) {

		long start() {
			return this.index * this.estimate.window();
		}

		long held(long now) {
			return this.estimate.held(now - start(), this.current, this.previous);
		}

		/**
		 * The counts under other limits. Nothing older is refunded if they change.
		 * @param other the other limit's estimate
		 * @param max the most that it can count
		 */
		SlidingCounts under(SlidingEstimate other, long max, long now) {
			if (other.window() != this.estimate.window()) {
				return inWindowsOf(other, max, now);
			}
			if (this.current <= max && this.previous <= max) {
				return this;
			}
			return lowered(max, now);
		}

		/* What the sliding window holds, rounded up, counts as taken now. */
		private SlidingCounts inWindowsOf(SlidingEstimate other, long max, long now) {
			long start = start();
			long held = this.estimate.heldAtMost(now - start, this.current, this.previous);
			long index = Math.max(now, start) / other.window();
			return new SlidingCounts(other, now + 1, index, Math.min(held, max), 0);
		}

		/*
		 * The current count stands for what the previous one can no longer count, so that
		 * the sliding window holds the same.
		 */
		private SlidingCounts lowered(long max, long now) {
			long into = now - start();
			long held = Math.min(max, this.estimate.held(into, this.current, this.previous));
			long newPrevious = Math.min(max, this.previous);
			long missing = held - this.estimate.held(into, 0, newPrevious);
			long newCurrent = Math.max(missing, Math.min(max, this.current));
			return new SlidingCounts(this.estimate, now + 1, this.index, newCurrent, newPrevious);
		}

		/**
		 * The counts of a key that another sliding window counter has decided on so far.
		 */
		static SlidingCounts of(Algorithm algorithm, long[] state, int at, long now) {
			if (algorithm instanceof SlidingWindowCounter counter) {
				return counter.counts(state, at, now);
			}
			return ((WideSlidingWindowCounter) algorithm).counts(state, at, now);
		}

	}

}
