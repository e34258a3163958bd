package io.github.ratelimit.resilience;

import org.jspecify.annotations.Nullable;

/**
 * The last rejection of a key, and the store's last answer on it. Mostly both are the
 * same decision.
 */
final class KnownKey {

	/**
	 * A key that is longer is not remembered.
	 */
	static final int LONGEST_KEY = 512;

	/*
	 * Of this, a rejection and an answer, where references are not compressed.
	 */
	private static final long BYTES = 32 + 72 + 48;

	private static final long BYTES_OF_DECISION = 80;

	private static final long BYTES_OF_ARRAY = 24;

	private volatile @Nullable CachedRejection rejection;

	private volatile @Nullable LastAnswer answer;

	/**
	 * How many bytes of the heap that takes at most.
	 * @param limits the number of the policy's limits, each of which decides
	 */
	static long bytes(int limits) {
		long parts = (limits > 1) ? BYTES_OF_ARRAY + limits * (Long.BYTES + BYTES_OF_DECISION) : 0;
		return BYTES + 2 * (BYTES_OF_DECISION + parts);
	}

	@Nullable CachedRejection rejection() {
		return this.rejection;
	}

	/**
	 * Remembers a rejection, unless it is out of date.
	 */
	synchronized void reject(CachedRejection later) {
		CachedRejection before = this.rejection;
		if (before == null || !before.outdates(later.askedAt())) {
			this.rejection = later;
		}
	}

	/**
	 * Forgets the rejection, and outdates answers that were asked for until now.
	 */
	synchronized void outdate(long now) {
		this.rejection = new CachedRejection(this, null, 0, now, now, now);
	}

	/**
	 * Forgets a rejection that was made under other limits.
	 */
	synchronized void drop(CachedRejection former) {
		if (this.rejection == former) {
			this.rejection = null;
		}
	}

	@Nullable LastAnswer answer() {
		return this.answer;
	}

	void answer(@Nullable LastAnswer answer) {
		this.answer = answer;
	}

}
