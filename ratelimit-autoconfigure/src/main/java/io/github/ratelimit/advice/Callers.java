package io.github.ratelimit.advice;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A sample of callers, each as likely to be in it as any other: those whose hash is below
 * a threshold, which falls as callers become more (Waldspurger et al., SHARDS, 2015).
 * <p>
 * They are kept by the hash of their key, with open addressing. One thread at a time may
 * change them; any may look one up meanwhile.
 */
abstract class Callers {

	private static final double FALL = 0.9;

	private volatile @Nullable Caller[] slots = new Caller[64];

	private volatile long threshold = Long.MAX_VALUE;

	private int size;

	/**
	 * Whether callers with this hash are in the sample.
	 */
	boolean cover(long hash) {
		return hash < this.threshold;
	}

	/**
	 * How many callers there are for each in the sample.
	 */
	double weight() {
		return 0x1p63 / this.threshold;
	}

	/**
	 * Makes the sample a little smaller.
	 */
	final void lowerThreshold() {
		this.threshold = (long) (this.threshold * FALL);
		retain((caller) -> caller.busy || cover(caller.hash));
	}

	@Nullable Caller get(long hash) {
		@Nullable Caller[] slots = this.slots;
		return slots[slot(slots, hash)];
	}

	/* That of the caller, or the free one where it belongs. At least half are free. */
	private static int slot(@Nullable Caller[] slots, long hash) {
		int slot = (int) hash & slots.length - 1;
		Caller caller = slots[slot];
		while (caller != null && caller.hash != hash) {
			slot = slot + 1 & slots.length - 1;
			caller = slots[slot];
		}
		return slot;
	}

	/**
	 * A caller, who is added if that is wanted and who is not there yet.
	 */
	@Nullable Caller getOrAdd(long hash, long time, boolean adds, int buckets) {
		Caller caller = get(hash);
		if (caller == null && adds) {
			if (2 * (this.size + 1) > this.slots.length) {
				rebuild(2 * this.slots.length, (all) -> true);
			}
			caller = new Caller(hash, time, buckets);
			this.slots[slot(this.slots, hash)] = caller;
			this.size++;
		}
		return caller;
	}

	void retain(Predicate<Caller> kept) {
		rebuild(this.slots.length, kept);
	}

	private void rebuild(int length, Predicate<Caller> kept) {
		@Nullable Caller[] rebuilt = new Caller[length];
		this.size = 0;
		for (Caller caller : this.slots) {
			if (caller != null && kept.test(caller)) {
				rebuilt[slot(rebuilt, caller.hash)] = caller;
				this.size++;
			}
		}
		this.slots = rebuilt;
	}

	int size() {
		return this.size;
	}

	Stream<Caller> stream() {
		return Arrays.stream(this.slots).filter(Objects::nonNull);
	}

	/**
	 * A caller with its virtual buckets.
	 */
	static final class Caller {

		final long hash;

		/* What has not yet drained from each bucket, in units. */
		final int[] backlogs;

		/* When they last drained. */
		long time;

		/* Whether it is followed whatever its hash, because it makes many requests. */
		boolean busy;

		Caller(long hash, long time, int buckets) {
			this.hash = hash;
			this.time = time;
			this.backlogs = new int[buckets];
		}

	}

}
