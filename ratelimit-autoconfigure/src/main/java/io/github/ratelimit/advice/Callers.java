package io.github.ratelimit.advice;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Callers by the hash of their key, with open addressing. One thread at a time may change
 * them; any may look one up meanwhile.
 */
final class Callers {

	private volatile @Nullable Caller[] slots = new Caller[64];

	private int size;

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
	 * Adds a caller that is not there yet.
	 */
	void add(Caller caller) {
		if (2 * (this.size + 1) > this.slots.length) {
			rebuild(2 * this.slots.length, (all) -> true);
		}
		this.slots[slot(this.slots, caller.hash)] = caller;
		this.size++;
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

		/**
		 * How long the buckets have to drain for until a request. Less than a tick is no
		 * time and adds up, as units are whole. Requests are not observed in their order,
		 * so it may be less than nothing.
		 */
		long elapsed(long now, long tick) {
			long elapsed = now - this.time;
			if (elapsed < tick) {
				return 0;
			}
			this.time = now;
			return elapsed;
		}

	}

}
