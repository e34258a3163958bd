package io.github.ratelimit.algorithm;

/**
 * A window's number and its count in one word. They fit, because nobody counts more than
 * a million a second.
 */
final class WindowCount {

	private final int bits;

	WindowCount(long limit) {
		this.bits = Long.SIZE - Long.numberOfLeadingZeros(limit);
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
