package io.github.ratelimit.advice;

/**
 * Requests of one caller that cost the same and come at nearly the same time, which are
 * observed together.
 */
final class PendingRequests {

	long hash;

	/* When the first of them came. */
	long time;

	int cost;

	int count;

	/* Whether the caller is one that is followed from one of them on. */
	boolean drawn;

	boolean isEmpty() {
		return this.count == 0;
	}

	/**
	 * Adds a request, if it is alike. The cost must be a power of two, as that of one
	 * permit is, so that nothing has to be divided.
	 */
	boolean add(long hash, long now, int cost, boolean drawn, long tick) {
		if (hash != this.hash || cost != this.cost || now - this.time >= tick || this.count == 0
				|| (cost & cost - 1) != 0 || (this.count + 1L) * cost > Ladder.MOST_UNITS) {
			return false;
		}
		this.count++;
		this.drawn |= drawn;
		return true;
	}

	/**
	 * Forgets what was pending, and begins with a request.
	 */
	void start(long hash, long now, int cost, boolean drawn) {
		this.hash = hash;
		this.time = now;
		this.cost = cost;
		this.count = 1;
		this.drawn = drawn;
	}

	void clear() {
		this.count = 0;
	}

}
