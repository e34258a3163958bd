package io.github.ratelimit.policy;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.support.ReadableText;

/**
 * Counts what a policy has decided in shadow since the start, under whichever numbers.
 */
final class ShadowCounts implements RateLimitShadow {

	final OutcomeCounts counts = new OutcomeCounts();

	final LongAdder dropped = new LongAdder();

	final DistinctKeys rejectedKeys = new DistinctKeys(ThreadLocalRandom.current().nextLong());

	/* The policy with the numbers that are shown to be tried. */
	private volatile RateLimitPolicy policy;

	ShadowCounts(RateLimitPolicy policy) {
		this.policy = policy;
	}

	@Override
	public RateLimitPolicy policy() {
		return this.policy;
	}

	/**
	 * Shows that other numbers are tried from now on.
	 */
	void show(RateLimitPolicy policy) {
		this.policy = policy;
	}

	@Override
	public long count(RateLimitOutcome outcome) {
		return this.counts.sum(outcome);
	}

	@Override
	public long rejectedKeys() {
		return this.rejectedKeys.estimate();
	}

	@Override
	public long dropped() {
		return this.dropped.sum();
	}

	/**
	 * Counts different keys in eight kilobytes, however many they are: the first thousand
	 * exactly, and more by how small the smallest of their hashes are (Bar-Yossef et al.,
	 * 2002), with a standard error of 3.1 %.
	 */
	static final class DistinctKeys {

		private static final int SIZE = 1024;

		/* They are in order, and behind them is what no hash is. */
		private final long[] smallest = new long[SIZE];

		private final long seed;

		private volatile long largestKept = Long.MAX_VALUE;

		DistinctKeys(long seed) {
			this.seed = seed;
			Arrays.fill(this.smallest, Long.MAX_VALUE);
		}

		void add(String key) {
			long hash = ReadableText.hash(key, this.seed) >>> 1;
			// what is found while others are inserted is there, and what is not found is
			// looked for again under the lock
			if (hash < this.largestKept && Arrays.binarySearch(this.smallest, hash) < 0) {
				insert(hash);
			}
		}

		private synchronized void insert(long hash) {
			int position = -1 - Arrays.binarySearch(this.smallest, hash);
			if (position >= 0 && position < SIZE) {
				System.arraycopy(this.smallest, position, this.smallest, position + 1, SIZE - 1 - position);
				this.smallest[position] = hash;
				this.largestKept = this.smallest[SIZE - 1];
			}
		}

		/**
		 * How many different keys were added.
		 * @return the number, approximately
		 */
		synchronized long estimate() {
			if (this.largestKept == Long.MAX_VALUE) {
				return Arrays.stream(this.smallest).filter((hash) -> hash < Long.MAX_VALUE).count();
			}
			return Math.round((SIZE - 1) * (0x1p63 / this.largestKept));
		}

	}

}
