package io.github.ratelimit.remote;

import org.jspecify.annotations.Nullable;

/**
 * The last rejection of a key, and the store's last answer on it. Mostly both are the
 * same.
 */
final class KnownKey {

	/**
	 * A key that is longer is not remembered.
	 */
	static final int LONGEST_KEY = 512;

	/*
	 * Of this, and of two answers, where references are not compressed.
	 */
	private static final long BYTES = 40 + 2 * 72;

	private static final long BYTES_OF_DECISION = 80;

	private static final long BYTES_OF_ARRAY = 24;

	private volatile @Nullable RememberedAnswer rejection;

	private volatile @Nullable RememberedAnswer last;

	/* Rejections that were asked for until then no longer hold. */
	private long outdatedAt = Long.MIN_VALUE;

	/**
	 * How many bytes of the heap that takes at most.
	 * @param limits the number of the policy's limits, each of which decides
	 */
	static long bytes(int limits) {
		long parts = (limits > 1) ? BYTES_OF_ARRAY + limits * (Long.BYTES + BYTES_OF_DECISION) : 0;
		return BYTES + 2 * (BYTES_OF_DECISION + parts);
	}

	@Nullable RememberedAnswer rejection() {
		return this.rejection;
	}

	/**
	 * Remembers a rejection, unless it is out of date.
	 */
	synchronized void reject(RememberedAnswer later) {
		if (later.askedAt() > this.outdatedAt) {
			this.rejection = later;
		}
	}

	/**
	 * Forgets the rejection, and outdates answers that were asked for until now.
	 */
	synchronized void outdate(long now) {
		this.rejection = null;
		this.outdatedAt = now;
	}

	/**
	 * Forgets a rejection that was made under other limits.
	 */
	synchronized void drop(RememberedAnswer former) {
		if (this.rejection == former) {
			this.rejection = null;
		}
	}

	@Nullable RememberedAnswer last() {
		return this.last;
	}

	void last(@Nullable RememberedAnswer last) {
		this.last = last;
	}

}
