package io.github.ratelimit.policy;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitShadow;

/**
 * What a policy has decided in shadow since the start, under whichever of its versions.
 */
final class ShadowCounts implements RateLimitShadow {

	private final LongAdder[] counts = DecisionReports.counters(RateLimitOutcome.values());

	private final LongAdder dropped = new LongAdder();

	private final DistinctKeys rejectedKeys = new DistinctKeys();

	private volatile RateLimitPolicy policy;

	ShadowCounts(RateLimitPolicy policy) {
		this.policy = policy;
	}

	void add(RateLimitOutcome outcome) {
		this.counts[outcome.ordinal()].increment();
	}

	void addRejected(String key) {
		this.rejectedKeys.add(key);
	}

	void addDropped() {
		this.dropped.increment();
	}

	/**
	 * Says which numbers are tried now.
	 */
	void follow(RateLimitPolicy policy) {
		this.policy = policy;
	}

	@Override
	public RateLimitPolicy policy() {
		return this.policy;
	}

	@Override
	public long count(RateLimitOutcome outcome) {
		return this.counts[outcome.ordinal()].sum();
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
	 * Counts different keys in one kilobyte, however many they are: a HyperLogLog of 1024
	 * registers, with the estimator of Ertl (arXiv:1702.01284), whose standard error is
	 * 3.3 % for any number of keys. His correction for registers that are full is left
	 * out, because that takes 2<sup>54</sup> keys.
	 * <p>
	 * The hash depends on a random number, so that nobody can choose keys that count as
	 * one.
	 */
	static final class DistinctKeys {

		private static final VarHandle REGISTERS = MethodHandles.arrayElementVarHandle(byte[].class);

		private static final int INDEX_BITS = 10;

		private static final int SIZE = 1 << INDEX_BITS;

		private static final int HASH_BITS = Long.SIZE - INDEX_BITS;

		private final byte[] registers = new byte[SIZE];

		private final long seed;

		DistinctKeys() {
			this(ThreadLocalRandom.current().nextLong());
		}

		DistinctKeys(long seed) {
			this.seed = seed;
		}

		void add(String key) {
			long hash = hash(key);
			int index = (int) (hash >>> HASH_BITS);
			byte rank = (byte) (Math.min(Long.numberOfLeadingZeros(hash << INDEX_BITS), HASH_BITS) + 1);
			byte known = (byte) REGISTERS.getVolatile(this.registers, index);
			while (known < rank) {
				known = (byte) REGISTERS.compareAndExchange(this.registers, index, known, rank);
			}
		}

		private long hash(String key) {
			long hash = this.seed ^ key.length();
			for (int i = 0; i < key.length(); i++) {
				hash = mix(hash ^ key.charAt(i));
			}
			return mix(hash);
		}

		/* The finalizer of MurmurHash3. */
		private static long mix(long hash) {
			long mixed = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
			mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
			return mixed ^ (mixed >>> 33);
		}

		/**
		 * How many different keys were added.
		 * @return the number, approximately
		 */
		long estimate() {
			int[] counts = new int[HASH_BITS + 2];
			for (int i = 0; i < SIZE; i++) {
				counts[(byte) REGISTERS.getVolatile(this.registers, i)]++;
			}
			double sum = 0;
			for (int rank = HASH_BITS + 1; rank >= 1; rank--) {
				sum = 0.5 * (sum + counts[rank]);
			}
			sum += SIZE * sigma(counts[0] / (double) SIZE);
			return Math.round(SIZE * (double) SIZE / (2 * Math.log(2) * sum));
		}

		/*
		 * For registers that are empty. Infinite if all are, which makes the estimate 0.
		 */
		private static double sigma(double share) {
			if (share == 1) {
				return Double.POSITIVE_INFINITY;
			}
			double power = share;
			double factor = 1;
			double sum = share;
			double before;
			do {
				power *= power;
				before = sum;
				sum += power * factor;
				factor += factor;
			}
			while (sum != before);
			return sum;
		}

	}

}
