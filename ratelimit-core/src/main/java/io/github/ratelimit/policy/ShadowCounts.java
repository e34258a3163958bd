package io.github.ratelimit.policy;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.support.ReadableText;

/**
 * What a policy has decided in shadow since the start, under whichever of its versions.
 */
final class ShadowCounts implements RateLimitShadow {

	final OutcomeCounts counts = new OutcomeCounts();

	final LongAdder dropped = new LongAdder();

	final DistinctKeys rejectedKeys = new DistinctKeys(ThreadLocalRandom.current().nextLong());

	/* Has the numbers that are tried now. */
	volatile RateLimitPolicy policy;

	ShadowCounts(RateLimitPolicy policy) {
		this.policy = policy;
	}

	@Override
	public RateLimitPolicy policy() {
		return this.policy;
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

		/* In order, and behind them what no hash is. */
		private final long[] smallest = new long[SIZE];

		private final long seed;

		private volatile long largestKept = Long.MAX_VALUE;

		DistinctKeys(long seed) {
			this.seed = seed;
			Arrays.fill(this.smallest, Long.MAX_VALUE);
		}

		void add(String key) {
			long hash = ReadableText.hash(key, this.seed) >>> 1;
			// what is found while others move it is there; only what is new takes the
			// lock
			if (hash < this.largestKept && Arrays.binarySearch(this.smallest, hash) < 0) {
				insert(hash);
			}
		}

		private synchronized void insert(long hash) {
			int place = -1 - Arrays.binarySearch(this.smallest, hash);
			if (place >= 0 && place < SIZE) {
				System.arraycopy(this.smallest, place, this.smallest, place + 1, SIZE - 1 - place);
				this.smallest[place] = hash;
				this.largestKept = this.smallest[SIZE - 1];
			}
		}

		/**
		 * How many different keys were added.
		 * @return the number, approximately
		 */
		synchronized long estimate() {
			return (this.largestKept == Long.MAX_VALUE)
					? Arrays.stream(this.smallest).filter((hash) -> hash < Long.MAX_VALUE).count()
					: Math.round((SIZE - 1) * (0x1p63 / this.largestKept));
		}

	}

}
