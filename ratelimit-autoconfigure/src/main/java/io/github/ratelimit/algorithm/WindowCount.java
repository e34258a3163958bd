package io.github.ratelimit.algorithm;

/**
 * Windows of one length, aligned to the epoch, and a window's number and count in one
 * word. They fit, because a limit is at most a million a second.
 */
class WindowCount {

	private final long window;

	private final int bits;

	WindowCount(long most, long window) {
		this.window = window;
		this.bits = Long.SIZE - Long.numberOfLeadingZeros(most);
	}

	long indexAt(long moment) {
		return moment / this.window;
	}

	/*
	 * The window of the moment, or the one that was counted last if that is later. Most
	 * often it is the latter, and a division costs as much as the rest of a decision.
	 */
	long indexAt(long moment, long counted) {
		return (moment - start(counted) < this.window) ? counted : indexAt(moment);
	}

	long start(long index) {
		return index * this.window;
	}

	long end(long index) {
		return start(index + 1);
	}

	/**
	 * The largest count that a word holds.
	 */
	final long largestCount() {
		return (1L << this.bits) - 1;
	}

	final long word(long index, long count) {
		return index << this.bits | count;
	}

	final long index(long word) {
		return word >>> this.bits;
	}

	final long count(long word) {
		return word & largestCount();
	}

}
