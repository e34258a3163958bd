package io.github.ratelimit.algorithm;

/**
 * Windows of one length, aligned to the epoch, and a window's number and count in one
 * word. They fit, because nobody counts more than a million a second.
 */
final class WindowCount {

	private final long window;

	private final int bits;

	WindowCount(long limit, long window) {
		this.window = window;
		this.bits = Long.SIZE - Long.numberOfLeadingZeros(limit);
	}

	long indexAt(long moment) {
		return moment / this.window;
	}

	/*
	 * Most often it is the window that was counted last, and a division costs as much as
	 * the rest of a decision.
	 */
	long indexAt(long moment, long likely) {
		long into = moment - start(likely);
		return (into >= 0 && into < this.window) ? likely : indexAt(moment);
	}

	long start(long index) {
		return index * this.window;
	}

	long word(long index, long count) {
		return index << this.bits | count;
	}

	long index(long word) {
		return word >>> this.bits;
	}

	long count(long word) {
		return word & ((1L << this.bits) - 1);
	}

}
